package io.varve.testkit;

import io.varve.testkit.internal.engine.PlainClient;
import io.varve.testkit.internal.proxy.AnswerRecord;
import io.varve.testkit.internal.proxy.Exchange;
import io.varve.testkit.internal.proxy.ProxyServer;
import io.varve.testkit.internal.proxy.RequestPolicy;
import io.varve.testkit.internal.request.ParsedRequest;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
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

    private final FaultRules rules;
    private final RequestLog log = new RequestLog();
    private final List<Gate> gates = new CopyOnWriteArrayList<>();
    private final ProxyServer server;
    private volatile boolean recording = true;

    private FaultProxy(URI backend, long seed) {
        this.rules = new FaultRules(seed);
        this.server = new ProxyServer(new InetSocketAddress(backend.getHost(), backend.getPort()), new Policy());
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
        return URI.create("http://127.0.0.1:" + server.port());
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
        server.resetHanging();
    }

    /** Ends the proxy and resets its connections. */
    @Override
    public void close() {
        server.stopListening();
        clear();
        server.resetAll();
    }

    /** Records requests and picks their faults. */
    private final class Policy implements RequestPolicy {

        @Override
        public boolean readsBodies() {
            return recording || rules.needBody();
        }

        @Override
        public Optional<AnswerRecord> record(ParsedRequest request) {
            return recording ? Optional.of(log.add(new DynamoDBRequest(request))) : Optional.empty();
        }

        @Override
        public void handle(Exchange exchange) {
            rules.faultFor(new DynamoDBRequest(exchange.request()))
                    .ifPresentOrElse(fault -> fault.apply(exchange), exchange::forward);
        }
    }
}
