package io.varve.example.shoppingcart;

/**
 * What can be learnt from the events of all carts, and from no single one.
 *
 * @param events how many there are
 * @param added all that was ever put into a cart, as if it were one
 * @param orders how often a cart was checked out
 */
record Statistics(int events, Cart added, int orders) {
    static final Statistics NONE = new Statistics(0, Cart.EMPTY, 0);

    Statistics plus(Event event) {
        return new Statistics(
                events + 1,
                event instanceof Event.ItemAdded ? added.after(event) : added,
                event instanceof Event.CheckedOut ? orders + 1 : orders);
    }
}
