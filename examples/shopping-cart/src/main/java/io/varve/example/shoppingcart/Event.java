package io.varve.example.shoppingcart;

/** What happened to a cart. Stored as JSON: {@code application.conf} binds this type to Pekko's Jackson serializer. */
public sealed interface Event {

    /** Something was put into the cart. */
    record ItemAdded(String item, int quantity) implements Event {}

    /** Something was taken out again. */
    record ItemRemoved(String item, int quantity) implements Event {}

    /** All that was in the cart was ordered. */
    record CheckedOut(int order) implements Event {}
}
