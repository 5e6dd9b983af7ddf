package io.varve.testkit.internal.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The connection behind one client connection: opened when needed, one call at a time, only used on its event loop. */
public final class Backend {

    /** The most that the proxy keeps of a request or an answer. */
    public static final int LARGEST_BODY = 64 * 1024 * 1024;

    private final EventLoop loop;
    private final InetSocketAddress address;
    private @Nullable Channel channel;
    private @Nullable CompletableFuture<HttpAnswer> pending;

    /** Connects to the address when the first call is sent. */
    public Backend(EventLoop loop, InetSocketAddress address) {
        this.loop = loop;
        this.address = address;
    }

    /** Sends a call; the future completes on the event loop. */
    public CompletableFuture<HttpAnswer> send(HttpCall call) {
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        pending = answer;
        Channel open = channel;
        if (open != null && open.isActive()) {
            write(open, call);
        } else {
            ChannelFuture connecting = connect();
            connecting.addListener(done -> {
                if (done.isSuccess()) {
                    channel = connecting.channel();
                    write(connecting.channel(), call);
                } else {
                    fail(done.cause());
                }
            });
        }
        return answer;
    }

    /** Closes the connection, if there is one. */
    public void close() {
        Channel open = channel;
        if (open != null) {
            open.close();
        }
    }

    private void write(Channel open, HttpCall call) {
        open.writeAndFlush(call.toNetty()).addListener(written -> {
            if (!written.isSuccess()) {
                open.close();
                fail(written.cause());
            }
        });
    }

    private void fail(Throwable cause) {
        CompletableFuture<HttpAnswer> waiting = pending;
        pending = null;
        if (waiting != null) {
            waiting.completeExceptionally(cause);
        }
    }

    private ChannelFuture connect() {
        return new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel created) {
                        created.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(LARGEST_BODY))
                                .addLast(new Answers());
                    }
                })
                .connect(address);
    }

    /** Completes the pending call. */
    private final class Answers extends SimpleChannelInboundHandler<FullHttpResponse> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            CompletableFuture<HttpAnswer> waiting = pending;
            pending = null;
            if (waiting != null) {
                waiting.complete(HttpAnswer.of(response));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (channel == context.channel()) {
                channel = null;
                fail(new IOException("The backend closed the connection"));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
