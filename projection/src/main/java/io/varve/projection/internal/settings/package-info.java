/** What the configuration says, and what is set for one projection alone. */
@NullMarked
package io.varve.projection.internal.settings;

import org.jspecify.annotations.NullMarked;
