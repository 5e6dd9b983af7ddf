/** What is tried again, until the stream is stopped. */
@NullMarked
package io.varve.projection.internal.retry;

import org.jspecify.annotations.NullMarked;
