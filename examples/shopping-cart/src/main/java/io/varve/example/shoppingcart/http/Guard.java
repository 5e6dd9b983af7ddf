package io.varve.example.shoppingcart.http;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;

/**
 * Keeps others out of a service without passwords: a page of another site cannot change anything through its reader's browser,
 * nobody can hold a request open for long, and browsers take answers for nothing but what they are.
 */
final class Guard extends AllDirectives {
    /** For all answers; the page has a policy of its own. */
    private static final List<HttpHeader> HEADERS = List.of(
            RawHeader.create("Cache-Control", "no-store"),
            RawHeader.create("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
            RawHeader.create("Cross-Origin-Resource-Policy", "same-origin"),
            RawHeader.create("Referrer-Policy", "no-referrer"),
            RawHeader.create("X-Content-Type-Options", "nosniff"),
            RawHeader.create("X-Frame-Options", "DENY"));

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    private final Set<String> hosts;
    private final Duration bodyTimeout;
    private final long maxBody;

    /** With the settings of {@code shopping-cart.http}. */
    Guard(Config http) {
        this.hosts = Set.copyOf(http.getStringList("hosts"));
        this.bodyTimeout = http.getDuration("body-timeout");
        this.maxBody = http.getBytes("max-body");
    }

    /** Headers for whatever is answered. */
    Route withHeaders(Route answers) {
        return respondWithDefaultHeaders(HEADERS, () -> answers);
    }

    /** Only requests that may be answered, each with its whole body. */
    Route permitted(Route route) {
        return extractRequest(request -> {
            if (!READING.contains(request.method().value())) {
                check(request);
            }
            return toStrictEntity(bodyTimeout, maxBody, () -> route);
        });
    }

    /** Browsers say in Origin whose page sends a change, and in Host by which name they have found this server. */
    private void check(HttpRequest request) {
        String host = header(request, "Host").orElse("");
        if (!hosts.contains(host.replaceFirst(":\\d+$", ""))) {
            throw new ErrorAnswers.ForbiddenException("Changes are taken for " + hosts + ", not for the host '" + host
                    + "': call the service by one of these names, or add yours to shopping-cart.http.hosts.");
        }
        header(request, "Origin")
                .filter(origin -> !origin.equals("http://" + host) && !origin.equals("https://" + host))
                .ifPresent(origin -> {
                    throw new ErrorAnswers.ForbiddenException(
                            "Changes are taken from this service's own page, not from '" + origin + "'.");
                });
    }

    private static Optional<String> header(HttpRequest request, String name) {
        return request.getHeader(name).map(header -> header.value().toLowerCase(Locale.ROOT));
    }
}
