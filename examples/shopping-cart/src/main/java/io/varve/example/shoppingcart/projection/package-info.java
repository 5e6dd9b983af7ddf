/**
 * Two projections of the carts' events.
 *
 * <p>{@link io.varve.example.shoppingcart.projection.PopularItems} counts exactly once, {@link
 * io.varve.example.shoppingcart.projection.OrderMails} writes mails at least once. {@link
 * io.varve.example.shoppingcart.projection.Projections} spreads their instances over the cluster, {@link
 * io.varve.example.shoppingcart.projection.ProjectionControl} pauses, resumes and rewinds them, {@link
 * io.varve.example.shoppingcart.projection.ProjectionStatus} tells how far they are.
 */
@NullMarked
package io.varve.example.shoppingcart.projection;

import org.jspecify.annotations.NullMarked;
