/**
 * How events reach the user's handlers, and when their progress is stored: six {@code DeliveryMode}s, which see no more of the
 * stream than {@code Delivery}.
 */
@NullMarked
package io.varve.projection.internal.delivery;

import org.jspecify.annotations.NullMarked;
