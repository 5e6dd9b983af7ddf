package io.varve.store.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server. An exchange gets the one that was used last, so that those above the need grow old and close; or
 * a new one, up to the limit; or it waits its turn.
 */
final class Connections {
    private static final String CLOSED = "The DynamoDB client is closed";
    private static final int LARGEST_HEAD = 64 * 1024;

    private final Target target;
    private final HttpSettings settings;
    private final Bootstrap bootstrap;
    private final @Nullable SslContext tls;

    private final Deque<Connection> free = new ArrayDeque<>();
    private final Set<Connection> all = new HashSet<>();
    private final Deque<Exchange> waiting = new ArrayDeque<>(); // the longest first
    private int open; // and being opened
    private boolean expiring;
    private boolean closed;

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
        submit(exchange, false);
    }

    /** Gives another connection to an exchange whose own was lost before anything was sent: it has waited long enough. */
    void submitAgain(Exchange exchange) {
        submit(exchange, true);
    }

    private void submit(Exchange exchange, boolean again) {
        Optional<String> refused = Optional.empty();
        Connection connection;
        boolean another = false;
        synchronized (this) {
            connection = free.pollLast();
            if (closed) {
                refused = Optional.of(CLOSED);
            } else if (connection == null && open < settings.maxConcurrency()) {
                open++;
                another = true;
            } else if (connection == null) {
                refused = waitForOne(exchange, again);
            }
        }
        if (refused.isPresent()) {
            exchange.fail(new IOException(refused.get()));
        } else if (another) {
            connect(exchange);
        } else if (connection != null) {
            connection.carry(exchange);
        }
    }

    private Optional<String> waitForOne(Exchange exchange, boolean again) {
        if (!again && waiting.size() >= settings.maxPendingAcquires()) {
            return Optional.of(
                    "%d requests wait for the %d connections to %s already".formatted(waiting.size(), open, target)
                            + " (http.max-pending-acquires, http.max-concurrency)");
        }
        if (again) {
            waiting.addFirst(exchange);
        } else {
            waiting.addLast(exchange);
        }
        if (!expiring) {
            expiring = true;
            expireIn(settings.acquireTimeout().toNanos());
        }
        return Optional.empty();
    }

    private void expireIn(long nanos) {
        bootstrap.config().group().next().schedule(this::expire, nanos, TimeUnit.NANOSECONDS);
    }

    /** Ends the wait of those whose time is over. One timer for all: they wait equally long. */
    private void expire() {
        long limit = settings.acquireTimeout().toNanos();
        List<Exchange> expired = new ArrayList<>();
        synchronized (this) {
            long now = System.nanoTime();
            while (!waiting.isEmpty() && now - waiting.getFirst().startedAt() >= limit) {
                expired.add(waiting.removeFirst());
            }
            expiring = !waiting.isEmpty();
            if (expiring) {
                expireIn(limit - (now - waiting.getFirst().startedAt()));
            }
        }
        expired.forEach(exchange -> exchange.fail(new IOException(
                "None of the %d connections to %s became free within %s s (http.acquire-timeout, http.max-concurrency)"
                        .formatted(settings.maxConcurrency(), target, limit / 1e9))));
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

    /** A connection is gone. */
    void closed(Connection connection) {
        synchronized (this) {
            free.remove(connection);
            all.remove(connection);
        }
        replace();
    }

    private void replace() {
        Exchange next;
        synchronized (this) {
            next = waiting.pollFirst();
            open -= next == null ? 1 : 0;
        }
        if (next != null) {
            connect(next);
        }
    }

    private void connect(Exchange exchange) {
        Opening opening = new Opening(exchange);
        bootstrap.clone().handler(opening).connect(target.host(), target.port()).addListener(connected -> {
            if (!connected.isSuccess()) {
                exchange.fail(new IOException("Cannot connect to " + target, connected.cause()));
                opening.failed();
            } else if (tls == null) {
                opening.succeeded();
            }
        });
    }

    /** Closes all connections; the exchanges under way, and those that wait, fail. */
    void close() {
        List<Connection> connected;
        List<Exchange> exchanges;
        synchronized (this) {
            closed = true;
            connected = new ArrayList<>(all);
            exchanges = new ArrayList<>(waiting);
            waiting.clear();
        }
        exchanges.forEach(exchange -> exchange.fail(new IOException(CLOSED)));
        connected.forEach(connection -> connection.close(CLOSED));
    }

    /** A connection that is made for an exchange. */
    private final class Opening extends ChannelInitializer<Channel> {
        private final Exchange exchange;
        private @Nullable Connection connection;

        Opening(Exchange exchange) {
            this.exchange = exchange;
        }

        @Override
        protected void initChannel(Channel channel) {
            Connection made = new Connection(Connections.this, channel, settings);
            connection = made;
            boolean late;
            synchronized (Connections.this) {
                all.add(made);
                late = closed;
            }
            if (late) {
                made.close(CLOSED);
            }
            if (tls != null) {
                channel.pipeline().addLast(secure(tls, channel));
            }
            channel.pipeline()
                    .addLast(new HttpResponseDecoder(new HttpDecoderConfig().setMaxHeaderSize(LARGEST_HEAD)), made);
        }

        private SslHandler secure(SslContext context, Channel channel) {
            SslHandler handler = context.newHandler(channel.alloc(), target.host(), target.port());
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate must be the host's
            handler.engine().setSSLParameters(parameters);
            handler.setHandshakeTimeoutMillis(settings.tlsTimeout().toMillis());
            handler.handshakeFuture().addListener(handshake -> {
                if (handshake.isSuccess()) {
                    succeeded();
                } else {
                    exchange.fail(new IOException("TLS with " + target + " failed", handshake.cause()));
                    channel.close();
                }
            });
            return handler;
        }

        private void succeeded() {
            if (connection != null) {
                connection.carry(exchange);
            }
        }

        private void failed() {
            synchronized (Connections.this) {
                all.remove(connection);
            }
            replace();
        }
    }
}
