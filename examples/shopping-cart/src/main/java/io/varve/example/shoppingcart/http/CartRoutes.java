package io.varve.example.shoppingcart.http;

import static org.apache.pekko.http.javadsl.server.PathMatchers.segment;

import io.varve.example.shoppingcart.Carts;
import io.varve.example.shoppingcart.ShoppingCart;
import io.varve.example.shoppingcart.projection.CartViews;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.http.javadsl.unmarshalling.StringUnmarshallers;
import org.jspecify.annotations.Nullable;

/** Looking at carts and changing them. */
final class CartRoutes extends AllDirectives {
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final int LONGEST_ITEM = 40;
    private static final int LARGEST_QUANTITY = 1000;
    private static final int LONGEST_LIST = 100;

    private final Carts carts;
    private final CartViews views;

    CartRoutes(Carts carts, CartViews views) {
        this.carts = carts;
        this.views = views;
    }

    /** The body of a request that puts something into a cart. */
    record Item(@Nullable String item, int quantity) {}

    Route create() {
        return pathPrefix(
                "carts",
                () -> concat(pathEnd(() -> get(this::list)), pathPrefix(segment(), id -> cart(checkedId(id)))));
    }

    private Route list() {
        return parameterOptional(
                "after",
                after -> parameterOptional(
                        StringUnmarshallers.INTEGER,
                        "limit",
                        limit -> answer(carts.list(
                                after.map(CartRoutes::checkedId), checked("limit", limit.orElse(20), LONGEST_LIST)))));
    }

    private Route cart(String id) {
        return concat(
                pathEnd(() ->
                        get(() -> answer(carts.ask(id, ShoppingCart.Look::new).thenApply(CartRoutes::used)))),
                path("view", () -> get(() -> view(id))),
                path("items", () -> post(() -> entity(Json.reader(Item.class), item -> add(id, item)))),
                path(segment("items").slash(segment()), item -> delete(() -> remove(id, item))),
                path("checkout", () -> post(() -> answer(carts.ask(id, ShoppingCart.CheckOut::new)))));
    }

    /** The view of a cart, which reflects so many events at least: those that the answer to a change has named. */
    private Route view(String id) {
        return parameterOptional(
                StringUnmarshallers.LONG,
                "events",
                events -> answer(views.get(id, events.orElse(0L))
                        .thenApply(cart -> cart.orElseThrow(() ->
                                new ErrorAnswers.NotFoundException("There is no view of a cart '" + id + "'.")))));
    }

    private Route add(String id, Item body) {
        String item = checkedItem(body.item());
        int quantity = checked("quantity", body.quantity(), LARGEST_QUANTITY);
        return answer(carts.ask(id, replyTo -> new ShoppingCart.AddItem(item, quantity, replyTo)));
    }

    private Route remove(String id, String item) {
        return parameterOptional(StringUnmarshallers.INTEGER, "quantity", quantity -> {
            int number = checked("quantity", quantity.orElse(1), LARGEST_QUANTITY);
            return answer(carts.ask(id, replyTo -> new ShoppingCart.RemoveItem(item, number, replyTo)));
        });
    }

    private <T> Route answer(CompletionStage<T> stage) {
        return completeOKWithFuture(stage, Json.writer());
    }

    private static Carts.Named used(Carts.Named cart) {
        if (cart.events() == 0) {
            throw new ErrorAnswers.NotFoundException("There is no cart '" + cart.id() + "' yet. POST an item to /carts/"
                    + cart.id() + "/items, and there is.");
        }
        return cart;
    }

    static String checkedId(String id) {
        if (!ID.matcher(id).matches()) {
            throw new ErrorAnswers.BadRequestException(
                    "A cart's id has 1 to 64 of the characters a-z, A-Z, 0-9, '_' and '-'.");
        }
        return id;
    }

    private static String checkedItem(@Nullable String item) {
        if (item == null || item.isBlank() || item.length() > LONGEST_ITEM) {
            throw new ErrorAnswers.BadRequestException(
                    "'item' must be the name of something, of up to " + LONGEST_ITEM + " characters.");
        }
        return item.strip();
    }

    private static int checked(String name, int value, int largest) {
        if (value < 1 || value > largest) {
            throw new ErrorAnswers.BadRequestException(
                    "'" + name + "' must be a whole number from 1 to " + largest + ", not " + value + ".");
        }
        return value;
    }
}
