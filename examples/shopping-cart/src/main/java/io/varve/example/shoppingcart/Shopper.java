package io.varve.example.shoppingcart;

import io.varve.example.shoppingcart.ShoppingCart.AddItem;
import io.varve.example.shoppingcart.ShoppingCart.Answer;
import io.varve.example.shoppingcart.ShoppingCart.CheckOut;
import io.varve.example.shoppingcart.ShoppingCart.Command;
import io.varve.example.shoppingcart.ShoppingCart.RemoveItem;
import java.util.List;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.pattern.StatusReply;

/** Decides what to do next, which depends on what is in the cart. */
final class Shopper {
    private static final int ENOUGH = 7;

    private Shopper() {}

    /** A command that waits for the address of its answer, and what it is in words. */
    record Step(String words, Function<ActorRef<StatusReply<Answer>>, Command> command) {}

    static List<Step> next(Cart cart) {
        if (cart.items().isEmpty()) {
            return List.of(add("apple", 2), add("bread", 1), add("pear", 3));
        }
        if (cart.size() >= ENOUGH) {
            return List.of(new Step("checked out: order " + (cart.orders() + 1), CheckOut::new));
        }
        String last = cart.items().lastKey();
        return List.of(remove(last, 1), add("coffee", 2), add("apple", 1));
    }

    private static Step add(String item, int quantity) {
        return new Step("added " + quantity + " " + item, replyTo -> new AddItem(item, quantity, replyTo));
    }

    private static Step remove(String item, int quantity) {
        return new Step("removed " + quantity + " " + item, replyTo -> new RemoveItem(item, quantity, replyTo));
    }
}
