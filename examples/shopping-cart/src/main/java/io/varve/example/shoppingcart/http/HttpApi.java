package io.varve.example.shoppingcart.http;

import com.typesafe.config.Config;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.varve.example.shoppingcart.Carts;
import io.varve.example.shoppingcart.EventFeed;
import io.varve.example.shoppingcart.projection.CartViews;
import io.varve.example.shoppingcart.projection.PopularItemsTable;
import io.varve.example.shoppingcart.projection.ProjectionControl;
import io.varve.example.shoppingcart.projection.ProjectionStatus;
import io.varve.projection.ParkedEntities;
import io.varve.projection.ProjectionProgress;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;

/** All that the service answers to. */
public final class HttpApi extends AllDirectives {
    private static final String PAGE = "io/varve/example/shoppingcart/http/page.html";
    private static final String ONLY_THIS_SERVER =
            "default-src 'none'; connect-src 'self'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Guard guard;
    private final Route route;

    /** The routes to these parts, with the settings of {@code shopping-cart.http}. */
    public HttpApi(
            Config http,
            Carts carts,
            CartViews views,
            ActorRef<EventFeed.Command> feed,
            PopularItemsTable popular,
            ProjectionStatus status,
            ProjectionControl control,
            ProjectionProgress progress,
            ParkedEntities parked,
            PrometheusMeterRegistry metrics) {
        this.guard = new Guard(http);
        this.route = concat(
                pathSingleSlash(() -> get(() -> respondWithHeader(
                        RawHeader.create("Content-Security-Policy", ONLY_THIS_SERVER), () -> getFromResource(PAGE)))),
                new CartRoutes(carts, views).create(),
                new ProjectionRoutes(popular, status, control, new ReadYourWrites(progress)).create(),
                new ParkedRoutes(parked).create(),
                new EventRoutes(feed, http.getInt("event-streams")).create(),
                new MetricsRoutes(metrics).create());
    }

    /** All routes; what goes wrong below them is answered in JSON. */
    public Route route() {
        return guard.withHeaders(handleExceptions(
                ErrorAnswers.exceptions(),
                () -> handleRejections(ErrorAnswers.rejections(), () -> guard.permitted(route))));
    }
}
