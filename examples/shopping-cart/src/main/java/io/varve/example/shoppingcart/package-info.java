/**
 * A shopping cart whose events are kept in DynamoDB.
 *
 * <p>{@link io.varve.example.shoppingcart.ShoppingCart} is the entity: commands in, events stored, state rebuilt from them. It
 * knows nothing of DynamoDB; {@code application.conf} says where events go. {@link io.varve.example.shoppingcart.Main} starts a
 * DynamoDB Local, goes shopping, and ends.
 */
@NullMarked
package io.varve.example.shoppingcart;

import org.jspecify.annotations.NullMarked;
