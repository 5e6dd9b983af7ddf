package io.varve.persistence.journal;

import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import java.net.URI;
import java.util.Optional;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** An actor system with a journal on a table of its own, for all tests of a class; behind a proxy whose faults end with each test. */
public final class JournalSystem implements AfterEachCallback, AfterAllCallback {
    private final Optional<FaultProxy> proxy;
    private final String table = TestJournal.createTable();
    private final ActorSystem system;

    private JournalSystem(String name, String config, Optional<FaultProxy> proxy) {
        URI endpoint = proxy.map(FaultProxy::endpoint)
                .orElseGet(() -> DynamoDBLocal.shared().endpoint());
        this.proxy = proxy;
        this.system = ActorSystem.create(name, TestJournal.config(endpoint, table, config));
    }

    /** A system of that name, with more configuration. */
    public static JournalSystem of(String name, String config) {
        return new JournalSystem(name, config, Optional.empty());
    }

    /** A system whose requests pass a proxy. */
    public static JournalSystem behindProxy(String name, String config) {
        return new JournalSystem(
                name,
                config,
                Optional.of(FaultProxy.start(DynamoDBLocal.shared().endpoint())));
    }

    public ActorSystem system() {
        return system;
    }

    public String table() {
        return table;
    }

    public FaultProxy proxy() {
        return proxy.orElseThrow();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        proxy.ifPresent(FaultProxy::clear);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        TestKit.shutdownActorSystem(system);
        proxy.ifPresent(FaultProxy::close);
    }
}
