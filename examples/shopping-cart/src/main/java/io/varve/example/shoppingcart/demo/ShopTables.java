package io.varve.example.shoppingcart.demo;

import io.varve.example.shoppingcart.projection.CartViews;
import io.varve.example.shoppingcart.projection.PopularItemsTable;
import io.varve.persistence.VarveTables;
import org.apache.pekko.actor.typed.ActorSystem;

/** Creates the tables of journal, snapshots and offsets, and the example's own. */
final class ShopTables {
    private ShopTables() {}

    /** Creates what is missing and waits until it can be used; several nodes may do it at once. */
    static void create(ActorSystem<?> system, PopularItemsTable popular, CartViews views) {
        VarveTables.createAll(system).toCompletableFuture().join();
        popular.create().toCompletableFuture().join();
        views.create().toCompletableFuture().join();
    }
}
