package io.varve.benchmark.responder;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The server: one thread, HTTP or HTTPS on the loopback interface, a random port. */
public final class Responder implements AutoCloseable {
    private final EventLoopGroup loop = new NioEventLoopGroup(1, new DefaultThreadFactory("responder", true));
    private final Answers answers = new Answers(Instant.now());
    private final String origin;
    private final Channel server;

    /** Starts a server that answers after that time. */
    public Responder(Duration latency) {
        this(latency, "http://127.0.0.1:", null);
    }

    /** Starts a server that speaks TLS and answers after that time. */
    public Responder(Duration latency, ServerKeys keys) {
        this(latency, "https://localhost:", keys.context());
    }

    private Responder(Duration latency, String origin, @Nullable SslContext tls) {
        this.origin = origin;
        loop.scheduleAtFixedRate(() -> answers.date(Instant.now()), 1, 1, TimeUnit.SECONDS);
        this.server = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel client) {
                        if (tls != null) {
                            client.pipeline().addLast(tls.newHandler(client.alloc()));
                        }
                        client.pipeline().addLast(new RequestDecoder(answers, latency));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    /** Where clients connect to. */
    public URI endpoint() {
        return URI.create(origin + ((InetSocketAddress) server.localAddress()).getPort());
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
