package io.varve.example.shoppingcart.http;

import io.varve.example.shoppingcart.ShoppingCart;
import io.varve.example.shoppingcart.projection.Projections;
import io.varve.projection.ParkedEntities;
import io.varve.projection.ParkedEntity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.PathMatchers;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.persistence.typed.PersistenceId;

/** Looking at carts that a projection has set aside, and deciding about them. */
final class ParkedRoutes extends AllDirectives {
    private final ParkedEntities parked;
    private final Map<String, Order> orders;

    ParkedRoutes(ParkedEntities parked) {
        this.parked = parked;
        this.orders = Map.of("retry", parked::retry, "skip", parked::skip, "give-up", parked::giveUp);
    }

    /** What can be ordered for a parked entity. */
    private interface Order {
        CompletionStage<Done> carryOut(String projection, String persistenceId, long sequenceNumber);
    }

    /** A cart that is set aside at an event. */
    record Parked(String projection, String cart, long event, String reason, Instant parkedAt, String state) {}

    /** The answer to an order. */
    record Ordered(String cart, long event, String ordered) {}

    Route create() {
        return pathPrefix(
                "parked",
                () -> concat(
                        pathEnd(() -> get(() -> completeOKWithFuture(all(), Json.writer()))),
                        pathPrefix(
                                PathMatchers.segment(),
                                projection -> pathPrefix(
                                        PathMatchers.segment(),
                                        cart -> path(
                                                PathMatchers.longSegment().slash(PathMatchers.segment()),
                                                (event, order) ->
                                                        post(() -> order(projection, cart, event, order)))))));
    }

    private CompletionStage<List<Parked>> all() {
        CompletionStage<List<Parked>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (String projection : Projections.NAMES) {
            all = all.thenCompose(before -> parked.list(projection).thenApply(found -> {
                found.forEach(entity -> before.add(shown(entity)));
                return before;
            }));
        }
        return all;
    }

    private static Parked shown(ParkedEntity entity) {
        return new Parked(
                entity.projection(),
                PersistenceId.extractEntityId(entity.persistenceId()),
                entity.sequenceNumber(),
                entity.reason(),
                entity.parkedAt(),
                entity.state().name());
    }

    private Route order(String projection, String cart, long event, String name) {
        Order order = orders.get(name);
        if (!Projections.NAMES.contains(projection) || order == null) {
            throw new ErrorAnswers.NotFoundException(
                    "POST to /parked/{projection}/{cart}/{event}/{order}, where projection is one of "
                            + Projections.NAMES + " and order is retry, skip or give-up.");
        }
        String persistenceId = PersistenceId.of(ShoppingCart.TYPE.name(), CartRoutes.checkedId(cart))
                .id();
        return completeOKWithFuture(
                order.carryOut(projection, persistenceId, event).thenApply(done -> new Ordered(cart, event, name)),
                Json.writer());
    }
}
