package io.varve.example.shoppingcart.http;

import static org.apache.pekko.http.javadsl.server.PathMatchers.segment;

import io.varve.example.shoppingcart.projection.PopularItemsTable;
import io.varve.example.shoppingcart.projection.ProjectionControl;
import io.varve.example.shoppingcart.projection.ProjectionControl.Action;
import io.varve.example.shoppingcart.projection.ProjectionStatus;
import io.varve.example.shoppingcart.projection.Projections;
import java.util.Map;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.http.javadsl.unmarshalling.StringUnmarshallers;

/** Looking at projections and their results, and controlling them. */
final class ProjectionRoutes extends AllDirectives {
    private static final int TOP = 10;
    private static final Map<String, Action> ACTIONS =
            Map.of("pause", Action.PAUSE, "resume", Action.RESUME, "rewind", Action.REWIND);

    private final PopularItemsTable popular;
    private final ProjectionStatus status;
    private final ProjectionControl control;
    private final ReadYourWrites reading;

    ProjectionRoutes(
            PopularItemsTable popular, ProjectionStatus status, ProjectionControl control, ReadYourWrites reading) {
        this.popular = popular;
        this.status = status;
        this.control = control;
        this.reading = reading;
    }

    /** The answer to an order that was carried out. */
    record Ordered(String projection, String done) {}

    Route create() {
        return concat(
                path("popular", () -> get(this::popular)),
                pathPrefix(
                        "projections",
                        () -> concat(
                                pathEnd(() -> get(() -> completeOKWithFuture(status.all(), Json.writer()))),
                                path(segment().slash(segment()), (name, action) -> post(() -> order(name, action))))));
    }

    /** The most popular items; with {@code cart}, {@code events} and {@code wait} not before that event of the cart is counted. */
    private Route popular() {
        return parameterOptional(
                "cart",
                cart -> parameterOptional(
                        StringUnmarshallers.LONG,
                        "events",
                        events -> parameterOptional(
                                "wait",
                                wait -> completeOKWithFuture(
                                        reading.after(Projections.POPULAR_ITEMS, cart, events, wait)
                                                .thenCompose(counted -> popular.top(TOP)),
                                        Json.writer()))));
    }

    private Route order(String name, String action) {
        Action ordered = ACTIONS.get(action);
        if (!Projections.NAMES.contains(name) || ordered == null) {
            throw new ErrorAnswers.NotFoundException("POST to /projections/{name}/{action}, where name is one of "
                    + Projections.NAMES + " and action is pause, resume or rewind.");
        }
        return completeOKWithFuture(
                control.order(name, ordered).thenApply(done -> {
                    status.forget();
                    return new Ordered(name, action);
                }),
                Json.writer());
    }
}
