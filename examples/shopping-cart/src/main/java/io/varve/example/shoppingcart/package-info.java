/**
 * A shopping cart service whose events are kept in DynamoDB.
 *
 * <p>{@link io.varve.example.shoppingcart.ShoppingCart} is the entity: commands in, events stored, state rebuilt from them. It
 * knows nothing of DynamoDB; {@code application.conf} says where events go. {@link io.varve.example.shoppingcart.Carts} finds
 * carts on whatever node they are, {@link io.varve.example.shoppingcart.EventFeed} watches the events of all. Read on in
 * {@code projection}, then {@code http}; {@code demo} starts it all.
 */
@NullMarked
package io.varve.example.shoppingcart;

import org.jspecify.annotations.NullMarked;
