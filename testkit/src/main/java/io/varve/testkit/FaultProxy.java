package io.varve.testkit;

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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * A local HTTP proxy in front of a DynamoDB endpoint that injects faults by rule and records requests.
 *
 * <p>It listens on the loopback interface only, at a random port. Behind it stands a backend that does not check signatures, such as
 * DynamoDB Local: the client signs for the proxy's address. Rules are tried in the order of their addition and the first that hits
 * decides. Bodies are read only while recording is on or a rule needs them. The proxy remembers the keys and indexes of the tables that
 * it sees: change tables through it, not around it.
 */
public final class FaultProxy implements AutoCloseable {

    static final int LARGEST_BODY = 64 * 1024 * 1024;
    private static final int LONGEST_LINE = 4096;
    private static final int LARGEST_HEADERS = 64 * 1024;
    private static final int LARGEST_CHUNK = 64 * 1024;

    private static final EventLoopGroup LOOPS =
            new NioEventLoopGroup(2, new DefaultThreadFactory("varve-fault-proxy", true));

    private final FaultRules rules;
    private final RequestLog log = new RequestLog();
    private final TableDefinitions definitions = new TableDefinitions();
    private final Set<String> usedTokens = ConcurrentHashMap.newKeySet();
    private final List<Runnable> hanging = new CopyOnWriteArrayList<>();
    private final List<Gate> gates = new CopyOnWriteArrayList<>();
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel server;
    private volatile boolean recording = true;

    private FaultProxy(URI backend, long seed) {
        this.rules = new FaultRules(seed);
        this.server = listen(new InetSocketAddress(backend.getHost(), backend.getPort()));
    }

    /** Starts a proxy in front of an endpoint. */
    public static FaultProxy start(URI backend) {
        return start(backend, 0);
    }

    /** Starts a proxy whose rules with a chance draw from this seed. */
    public static FaultProxy start(URI backend, long seed) {
        if (!"http".equals(backend.getScheme()) || backend.getPort() < 0) {
            throw new IllegalArgumentException("The proxy needs an endpoint like http://host:port, not " + backend);
        }
        return new FaultProxy(backend, seed);
    }

    /** Where clients connect to. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + ((InetSocketAddress) server.localAddress()).getPort());
    }

    /** A new client of this proxy with dummy credentials and without retries: one call is one request. The caller closes it. */
    public DynamoDbAsyncClient client() {
        return PlainClient.of(endpoint());
    }

    /** Adds a rule behind the others. */
    public FaultRule on(RequestMatch match, Fault fault) {
        return rules.add(match, fault);
    }

    /** Makes matching requests wait at a new gate before they are forwarded. */
    public Gate hold(RequestMatch match) {
        Gate gate = new Gate();
        gates.add(gate);
        rules.add(match, Fault.hold(gate));
        return gate;
    }

    /** Makes matching requests wait at a new gate before they meet a fault. */
    public Gate hold(RequestMatch match, Fault then) {
        Gate gate = new Gate();
        gates.add(gate);
        rules.add(match, Fault.hold(gate).then(then));
        return gate;
    }

    /** The requests that came so far. */
    public RequestLog requests() {
        return log;
    }

    /** Switches the recorder, which is on at first. */
    public FaultProxy recording(boolean on) {
        recording = on;
        return this;
    }

    /** Removes all rules, opens all gates, and resets the connections of requests that hang. */
    public void clear() {
        rules.clear();
        gates.forEach(Gate::releaseAll);
        gates.clear();
        awaitLoops();
        hanging.forEach(Runnable::run);
        hanging.clear();
    }

    /** Ends the proxy and resets its connections. */
    @Override
    public void close() {
        server.close().syncUninterruptibly();
        clear();
        clients.forEach(client -> client.eventLoop().execute(() -> Exchange.reset(client)));
        awaitLoops();
    }

    boolean readsBodies() {
        return recording || rules.needBody();
    }

    Optional<Fault> faultFor(DynamoDBRequest request) {
        return rules.faultFor(request);
    }

    Route route(DynamoDBRequest request, Backend backend) {
        return new Route(this, backend, recording ? log.add(request) : null);
    }

    TableDefinitions definitions() {
        return definitions;
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
                                .addLast(new HttpObjectAggregator(LARGEST_BODY))
                                .addLast(new ClientConnection(
                                        FaultProxy.this, new Backend(client.eventLoop(), backend)));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }
}
