package io.varve.example.shoppingcart;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What is in a cart.
 *
 * @param items how many there are of each item, in alphabetical order
 * @param orders how often the cart was checked out
 */
public record Cart(SortedMap<String, Integer> items, int orders) {
    /** A cart that was never used. */
    public static final Cart EMPTY = new Cart(new TreeMap<>(), 0);

    /** Keeps a copy that nobody can change. */
    public Cart {
        items = Collections.unmodifiableSortedMap(new TreeMap<>(items));
    }

    /** The cart after an event. */
    public Cart after(Event event) {
        if (event instanceof Event.ItemAdded added) {
            return with(added.item(), added.quantity());
        } else if (event instanceof Event.ItemRemoved removed) {
            return with(removed.item(), -removed.quantity());
        } else {
            return new Cart(new TreeMap<>(), orders + 1);
        }
    }

    private Cart with(String item, int more) {
        SortedMap<String, Integer> changed = new TreeMap<>(items);
        changed.merge(item, more, Integer::sum);
        changed.values().removeIf(quantity -> quantity == 0);
        return new Cart(changed, orders);
    }

    /** How many there are of an item. */
    public int quantityOf(String item) {
        return items.getOrDefault(item, 0);
    }

    /** How many things there are in all. */
    public int size() {
        return items.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public String toString() {
        return items.isEmpty()
                ? "nothing"
                : items.entrySet().stream()
                        .map(item -> item.getValue() + " " + item.getKey())
                        .collect(Collectors.joining(", "));
    }
}
