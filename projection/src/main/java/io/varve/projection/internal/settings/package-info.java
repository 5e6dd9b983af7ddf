/** What the configuration says about projections, and what is set for one of them alone. */
@NullMarked
package io.varve.projection.internal.settings;

import org.jspecify.annotations.NullMarked;
