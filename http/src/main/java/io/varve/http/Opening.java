package io.varve.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A connection that is being made for a request, with TLS where it is wanted. It ends once: opened or not. */
final class Opening extends ChannelInitializer<Channel> {
    private final Connections connections;
    private final HttpSettings settings;
    private final @Nullable SslContext tls;
    private final OngoingRequest request;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable Connection connection;

    Opening(Connections connections, HttpSettings settings, @Nullable SslContext tls, OngoingRequest request) {
        this.connections = connections;
        this.settings = settings;
        this.tls = tls;
        this.request = request;
    }

    void start(Bootstrap bootstrap) {
        Target target = connections.target();
        try {
            bootstrap
                    .clone()
                    .handler(this)
                    .connect(target.host(), target.port())
                    .addListener(connected -> {
                        if (!connected.isSuccess()) {
                            failed("Cannot connect to ", connected.cause());
                        } else if (tls == null) {
                            succeeded();
                        }
                    });
        } catch (RuntimeException e) {
            afterwards(
                    bootstrap, () -> failed("Cannot connect to ", e)); // the next one may fail as quickly: no recursion
        }
    }

    private static void afterwards(Bootstrap bootstrap, Runnable action) {
        try {
            bootstrap.config().group().execute(action);
        } catch (RejectedExecutionException e) {
            action.run(); // the client is closed: nobody waits for the place
        }
    }

    @Override
    protected void initChannel(Channel channel) {
        Connection made = new Connection(connections, channel, settings);
        connection = made;
        connections.opening(made, request);
        if (tls != null) {
            channel.pipeline().addLast(secure(tls, channel));
        }
        channel.pipeline().addLast(made.decoder(), made);
    }

    private SslHandler secure(SslContext context, Channel channel) {
        Target target = connections.target();
        SslHandler handler = context.newHandler(channel.alloc(), target.host(), target.port());
        handler.setHandshakeTimeoutMillis(Math.max(1, settings.tlsTimeout().toMillis()));
        handler.handshakeFuture().addListener(handshake -> {
            if (handshake.isSuccess()) {
                succeeded();
            } else {
                channel.close().addListener(closed -> failed("TLS failed with ", handshake.cause()));
            }
        });
        return handler;
    }

    private void succeeded() {
        Connection ready = connection;
        if (ready == null || !ready.isOpen()) {
            failed("Cannot connect to ", new ClosedChannelException());
        } else if (over.compareAndSet(false, true)) {
            connections.opened(ready, request);
        }
    }

    private void failed(String what, Throwable cause) {
        if (over.compareAndSet(false, true)) {
            connections.notOpened(connection, request, new NotSentException(what + connections.target(), cause));
        }
    }
}
