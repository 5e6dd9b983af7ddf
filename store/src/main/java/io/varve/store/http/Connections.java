package io.varve.store.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server. An exchange gets the one that was used last, so that those above the need grow old and close; or
 * a new one, up to the limit; or it waits its turn.
 *
 * <p>A connection that cannot be made fails its exchange only if there is no other: otherwise one of those will carry it, and the
 * next try is made after a pause.
 */
final class Connections {
    private static final String CLOSED = "The DynamoDB client is closed";
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Target target;
    private final HttpSettings settings;
    private final Bootstrap bootstrap;
    private final @Nullable SslContext tls;

    private final Set<Connection> opening = new HashSet<>();
    private final Set<Connection> established = new HashSet<>();
    private final Deque<Connection> free = new ArrayDeque<>();
    private final Deque<Exchange> waiting = new ArrayDeque<>(); // the longest first
    private int places; // that are taken: by connections, and by those that are being opened
    private boolean expiring;
    private boolean closed;
    private @Nullable IOException lastFailure;

    Connections(Target target, HttpSettings settings, Bootstrap bootstrap, @Nullable SslContext tls) {
        this.target = target;
        this.settings = settings;
        this.bootstrap = bootstrap;
        this.tls = tls;
    }

    Target target() {
        return target;
    }

    /** Gives the exchange a connection, now or later. */
    void submit(Exchange exchange) {
        placed(exchange, false).run();
    }

    /** Gives another connection to an exchange whose own was lost before anything was sent: it has waited long enough. */
    void submitAgain(Exchange exchange) {
        placed(exchange, true).run();
    }

    /** What is to be done for the exchange without the lock. */
    private synchronized Runnable placed(Exchange exchange, boolean again) {
        Connection connection = free.pollLast();
        if (closed) {
            return () -> exchange.fail(new IOException(CLOSED));
        }
        if (connection != null) {
            return () -> connection.carry(exchange);
        }
        if (places < settings.maxConcurrency()) {
            places++;
            return () -> open(exchange);
        }
        if (!again && waiting.size() >= settings.maxPendingAcquires()) {
            String full =
                    "%d requests wait for the %d connections to %s already (http.max-pending-acquires, http.max-concurrency)"
                            .formatted(waiting.size(), places, target);
            return () -> exchange.fail(new IOException(full));
        }
        keepWaiting(exchange, again);
        return () -> {};
    }

    private void keepWaiting(Exchange exchange, boolean first) {
        if (first) {
            waiting.addFirst(exchange);
        } else {
            waiting.addLast(exchange);
        }
        if (!expiring) {
            expiring = true;
            after(settings.acquireTimeout().toNanos(), this::expire);
        }
    }

    /** Ends the wait of those whose time is over. One timer for all: they wait equally long. */
    private void expire() {
        long limit = settings.acquireTimeout().toNanos();
        List<Exchange> expired = new ArrayList<>();
        IOException failure;
        synchronized (this) {
            long now = System.nanoTime();
            while (!waiting.isEmpty() && now - waiting.getFirst().startedAt() >= limit) {
                expired.add(waiting.removeFirst());
            }
            expiring = !waiting.isEmpty();
            if (expiring) {
                after(limit - (now - waiting.getFirst().startedAt()), this::expire);
            }
            failure = lastFailure;
        }
        expired.forEach(exchange -> exchange.fail(new IOException(
                "None of the %d connections to %s became free within %s s (http.acquire-timeout, http.max-concurrency)"
                        .formatted(settings.maxConcurrency(), target, limit / 1e9),
                failure)));
    }

    private void after(long nanos, Runnable action) {
        EventLoopGroup threads = bootstrap.config().group();
        if (!threads.isShuttingDown()) { // otherwise all connections end anyway
            threads.next().schedule(action, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The exchange need not wait any longer. */
    synchronized void forget(Exchange exchange) {
        waiting.remove(exchange);
    }

    /** A connection can carry the next exchange. */
    void release(Connection connection) {
        Exchange next;
        synchronized (this) {
            next = waiting.pollFirst();
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

    /** A place has become free: the next exchange takes it. */
    private void fillPlace() {
        Exchange next;
        synchronized (this) {
            next = waiting.pollFirst();
            places -= next == null ? 1 : 0;
        }
        if (next != null) {
            open(next);
        }
    }

    private void open(Exchange exchange) {
        new Opening(this, settings, tls, exchange).start(bootstrap);
    }

    /** A connection is being made; false if that is no longer wanted. */
    synchronized boolean isOpening(Connection connection) {
        opening.add(connection);
        return !closed;
    }

    /** A connection has been made for an exchange. */
    void opened(Connection connection, Exchange exchange) {
        synchronized (this) {
            opening.remove(connection);
            established.add(connection);
            lastFailure = null;
        }
        connection.carry(exchange);
    }

    /** A connection could not be made for an exchange. */
    void notOpened(@Nullable Connection connection, Exchange exchange, IOException cause) {
        Connection other;
        boolean hopeless;
        synchronized (this) {
            opening.remove(connection);
            lastFailure = cause;
            hopeless = closed || established.isEmpty();
            other = hopeless ? null : free.pollLast();
            if (!hopeless && other == null) {
                keepWaiting(exchange, true);
            }
        }
        if (hopeless) {
            fillPlace();
            exchange.fail(cause);
            return;
        }
        after(PAUSE.toNanos(), this::fillPlace);
        if (other != null) {
            other.carry(exchange);
        }
    }

    /** Closes all connections; the exchanges under way, and those that wait, fail. */
    void close() {
        List<Connection> connections;
        List<Exchange> exchanges;
        synchronized (this) {
            closed = true;
            connections = new ArrayList<>(opening);
            connections.addAll(established);
            exchanges = new ArrayList<>(waiting);
            waiting.clear();
        }
        exchanges.forEach(exchange -> exchange.fail(new IOException(CLOSED)));
        connections.forEach(connection -> connection.close(CLOSED));
    }
}
