/** What is tried again (requests in outages, events by the recovery strategy), until the stream is stopped. */
@NullMarked
package io.varve.projection.internal.retry;

import org.jspecify.annotations.NullMarked;
