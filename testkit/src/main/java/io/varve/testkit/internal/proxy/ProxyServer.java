package io.varve.testkit.internal.proxy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.varve.testkit.internal.http.Backend;
import io.varve.testkit.internal.request.KnownTables;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The proxy's side that clients see: an HTTP server on the loopback interface, at a random port. */
public final class ProxyServer {

    /** By the name that users know. */
    static final Logger LOG = LoggerFactory.getLogger("io.varve.testkit.FaultProxy");

    private static final int LONGEST_LINE = 4096;
    private static final int LARGEST_HEADERS = 64 * 1024;
    private static final int LARGEST_CHUNK = 64 * 1024;

    private static final EventLoopGroup LOOPS =
            new NioEventLoopGroup(2, new DefaultThreadFactory("varve-fault-proxy", true));

    private final RequestPolicy policy;
    private final KnownTables tables = new KnownTables();
    private final Set<String> usedTokens = ConcurrentHashMap.newKeySet();
    private final List<Runnable> hanging = new CopyOnWriteArrayList<>();
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel server;

    /** Starts a server in front of a backend. */
    public ProxyServer(InetSocketAddress backend, RequestPolicy policy) {
        this.policy = policy;
        this.server = listen(backend);
    }

    /** Where clients connect to. */
    public int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    /** Resets the connections of requests that hang, also of those that are about to. */
    public void resetHanging() {
        awaitLoops();
        hanging.forEach(Runnable::run);
        hanging.clear();
    }

    /** Takes no more connections. */
    public void stopListening() {
        server.close().syncUninterruptibly();
    }

    /** Resets all connections. */
    public void resetAll() {
        clients.forEach(client -> client.eventLoop().execute(() -> Exchange.reset(client)));
        awaitLoops();
    }

    RequestPolicy policy() {
        return policy;
    }

    KnownTables tables() {
        return tables;
    }

    /** The client tokens of the transactions that succeeded while recording was on. */
    Set<String> usedTokens() {
        return usedTokens;
    }

    void hang(Runnable end) {
        hanging.add(end);
    }

    /** Lets each event loop finish what it is about to do with requests that met a rule. */
    private static void awaitLoops() {
        LOOPS.forEach(loop -> {
            if (!loop.inEventLoop()) {
                loop.submit(() -> {}).syncUninterruptibly();
            }
        });
    }

    private Channel listen(InetSocketAddress backend) {
        return new ServerBootstrap()
                .group(LOOPS)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel client) {
                        clients.add(client);
                        client.pipeline()
                                .addLast(new HttpServerCodec(LONGEST_LINE, LARGEST_HEADERS, LARGEST_CHUNK))
                                .addLast(new HttpObjectAggregator(Backend.LARGEST_BODY))
                                .addLast(new ClientConnection(
                                        ProxyServer.this, new Backend(client.eventLoop(), backend)));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }
}
