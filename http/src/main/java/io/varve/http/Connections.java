package io.varve.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server. A request gets the one that was used last, so that those above the need grow old and close; or
 * a new one, up to the limit; or it waits its turn.
 *
 * <p>A connection that cannot be made fails its request only if there is no other: otherwise one of those will carry it, and the
 * next try is made after a pause.
 */
final class Connections {
    static final String CLOSED = "The HTTP client is closed";
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Target target;
    private final HttpSettings settings;
    private final Bootstrap bootstrap;
    private final @Nullable SslContext tls;

    private final Map<Connection, OngoingRequest> opening = new HashMap<>();
    private final Set<Connection> established = new HashSet<>();
    private final Deque<Connection> free = new ArrayDeque<>();
    private final Queue<OngoingRequest> waiting =
            new PriorityQueue<>((one, other) -> Long.signum(one.startedAt() - other.startedAt())); // the longest first
    private int places; // that are taken: by connections, and by those that are being opened
    private boolean expiring;
    private boolean closed;
    private @Nullable NotSentException lastFailure;

    Connections(Target target, HttpSettings settings, Bootstrap bootstrap, @Nullable SslContext tls) {
        this.target = target;
        this.settings = settings;
        this.bootstrap = bootstrap;
        this.tls = tls;
    }

    Target target() {
        return target;
    }

    /** Gives the request a connection, now or later. */
    void submit(OngoingRequest request) {
        placed(request, false).run();
    }

    /** Gives another connection to a request whose own was lost before anything was sent: it has waited long enough. */
    void submitAgain(OngoingRequest request) {
        placed(request, true).run();
    }

    /** What is to be done for the request without the lock. */
    private synchronized Runnable placed(OngoingRequest request, boolean again) {
        Connection connection = free.pollLast();
        if (closed) {
            return () -> request.fail(new NotSentException(CLOSED, null));
        }
        if (connection != null) {
            return () -> connection.carry(request);
        }
        if (places < settings.maxConcurrency()) {
            places++;
            return () -> open(request);
        }
        if (!again && waiting.size() >= settings.maxPendingAcquires()) {
            String full =
                    "%d requests wait for the %d connections to %s already (http.max-pending-acquires, http.max-concurrency)"
                            .formatted(waiting.size(), places, target);
            return () -> request.fail(new NotSentException(full, null));
        }
        keepWaiting(request);
        return () -> {};
    }

    private void keepWaiting(OngoingRequest request) {
        waiting.add(request);
        if (!expiring) {
            expiring = true;
            after(patience(request), this::expire);
        }
    }

    /** How long the request may still wait, in nanoseconds. */
    private long patience(OngoingRequest request) {
        return settings.acquireTimeout().toNanos() - (System.nanoTime() - request.startedAt());
    }

    /** Ends the wait of those whose time is over. One timer for all: they wait equally long. */
    private void expire() {
        List<OngoingRequest> expired = new ArrayList<>();
        NotSentException failure;
        synchronized (this) {
            OngoingRequest longest = waiting.peek();
            while (longest != null && patience(longest) <= 0) {
                expired.add(longest);
                waiting.remove();
                longest = waiting.peek();
            }
            expiring = longest != null;
            if (longest != null) {
                after(patience(longest), this::expire);
            }
            failure = lastFailure;
        }
        expired.forEach(request -> request.fail(new NotSentException(
                "None of the %d connections to %s became free within %s s (http.acquire-timeout, http.max-concurrency)"
                        .formatted(
                                settings.maxConcurrency(),
                                target,
                                settings.acquireTimeout().toMillis() / 1e3),
                failure)));
    }

    private void after(long nanos, Runnable action) {
        EventLoopGroup threads = bootstrap.config().group();
        if (!threads.isShuttingDown()) { // otherwise all connections end anyway
            threads.next().schedule(action, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The request need not wait any longer. */
    synchronized void forget(OngoingRequest request) {
        waiting.remove(request);
    }

    private @Nullable OngoingRequest nextWaiting() {
        OngoingRequest next = waiting.poll();
        while (next != null && next.isEnded()) {
            next = waiting.poll();
        }
        return next;
    }

    /** A connection can carry the next request. */
    void release(Connection connection) {
        OngoingRequest next;
        synchronized (this) {
            next = nextWaiting();
            if (next == null) {
                free.addLast(connection);
            }
        }
        if (next != null) {
            connection.carry(next);
        }
    }

    /** A connection is closed. */
    void gone(Connection connection) {
        boolean counted;
        synchronized (this) {
            free.remove(connection);
            counted = established.remove(connection);
        }
        if (counted) {
            fillPlace();
        }
    }

    /** A place has become free: the next request takes it. */
    private void fillPlace() {
        OngoingRequest next;
        synchronized (this) {
            next = nextWaiting();
            places -= next == null ? 1 : 0;
        }
        if (next != null) {
            open(next);
        }
    }

    private void open(OngoingRequest request) {
        new Opening(this, settings, tls, request).start(bootstrap);
    }

    /** A connection is being made for a request; it is closed at once if that is no longer wanted. */
    void opening(Connection connection, OngoingRequest request) {
        boolean late;
        synchronized (this) {
            opening.put(connection, request);
            late = closed;
        }
        if (late) {
            request.fail(new NotSentException(CLOSED, null));
            connection.close(CLOSED);
        }
    }

    /** A connection has been made for a request. */
    void opened(Connection connection, OngoingRequest request) {
        synchronized (this) {
            opening.remove(connection);
            established.add(connection);
            lastFailure = null;
        }
        connection.carry(request);
    }

    /** A connection could not be made for a request. */
    void notOpened(@Nullable Connection connection, OngoingRequest request, NotSentException cause) {
        Connection other = null;
        boolean hopeless;
        boolean over;
        synchronized (this) {
            opening.remove(connection);
            lastFailure = cause;
            hopeless = closed || established.isEmpty();
            over = hopeless || request.isEnded() || patience(request) <= 0;
            if (!over) {
                other = free.pollLast();
                if (other == null) {
                    keepWaiting(request);
                }
            }
        }
        if (hopeless) {
            fillPlace();
        } else {
            after(PAUSE.toNanos(), this::fillPlace);
        }
        if (over) {
            request.fail(cause);
        } else if (other != null) {
            other.carry(request);
        }
    }

    /** Closes all connections; the requests under way, and those that wait, fail. */
    void close() {
        List<Connection> connections;
        List<OngoingRequest> requests;
        synchronized (this) {
            closed = true;
            connections = new ArrayList<>(opening.keySet());
            connections.addAll(established);
            requests = new ArrayList<>(opening.values());
            requests.addAll(waiting);
            waiting.clear();
        }
        requests.forEach(request -> request.fail(new NotSentException(CLOSED, null)));
        connections.forEach(connection -> connection.close(CLOSED));
    }
}
