package io.varve.example.shoppingcart.http;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.varve.example.shoppingcart.Carts;
import io.varve.example.shoppingcart.EventFeed;
import io.varve.example.shoppingcart.projection.PopularItemsTable;
import io.varve.example.shoppingcart.projection.ProjectionControl;
import io.varve.example.shoppingcart.projection.ProjectionStatus;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;

/** All that the service answers to. */
public final class HttpApi extends AllDirectives {
    private static final String PAGE = "io/varve/example/shoppingcart/http/page.html";
    private static final String ONLY_THIS_SERVER =
            "default-src 'none'; connect-src 'self'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'";

    private final Route route;

    /** The routes to these parts. */
    public HttpApi(
            Carts carts,
            ActorRef<EventFeed.Command> feed,
            PopularItemsTable popular,
            ProjectionStatus status,
            ProjectionControl control,
            PrometheusMeterRegistry metrics) {
        this.route = concat(
                pathSingleSlash(() -> get(() -> respondWithHeader(
                        RawHeader.create("Content-Security-Policy", ONLY_THIS_SERVER), () -> getFromResource(PAGE)))),
                new CartRoutes(carts).create(),
                new ProjectionRoutes(popular, status, control).create(),
                new EventRoutes(feed).create(),
                new MetricsRoutes(metrics).create());
    }

    /** All routes; what goes wrong below them is answered in JSON. */
    public Route route() {
        return handleExceptions(Errors.exceptions(), () -> handleRejections(Errors.rejections(), () -> route));
    }
}
