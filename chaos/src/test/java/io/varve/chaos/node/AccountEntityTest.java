package io.varve.chaos.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.VarveTables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** An account ends when it is told to, whatever becomes of its write. */
class AccountEntityTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FaultProxy proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
    private final ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "account", config());

    @BeforeAll
    static void expectErrors() {
        ((Logger) LoggerFactory.getLogger(AccountEntity.class)).setLevel(Level.OFF);
    }

    private Config config() {
        return ConfigFactory.parseMap(Map.of(
                        "pekko.loglevel", "OFF",
                        "pekko.actor.provider", "local",
                        "pekko.coordinated-shutdown.exit-jvm", "off",
                        "pekko.persistence.dynamodb.client.local.enabled", "on",
                        "pekko.persistence.dynamodb.client.local.host", "127.0.0.1",
                        "pekko.persistence.dynamodb.client.local.port",
                                proxy.endpoint().getPort()))
                .withFallback(ConfigFactory.load());
    }

    @AfterEach
    void end() throws Exception {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        proxy.close();
    }

    @Test
    void stop_whileAWriteFails_endsTheAccountAfterItsRestart() throws Exception {
        VarveTables.createAll(system).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        ActorRef<AccountCommand> account = system.systemActorOf(AccountEntity.create("a1"), "account", Props.empty());
        CompletableFuture<Done> ended = new CompletableFuture<>();
        system.systemActorOf(watcher(account, ended), "watcher", Props.empty());
        assertThat(move(account, "opened").get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo("ok 1");

        Gate write = proxy.hold(
                RequestMatch.operation("PutItem").table("bank-journal").times(1),
                Fault.error(400, "AccessDeniedException", "not now"));
        move(account, "fails");
        write.awaitArrival();
        account.tell(AccountCommand.Stop.INSTANCE);
        write.release();

        assertThat(ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(Done.getInstance());
        assertThat(write.arrivals()).isEqualTo(1);
    }

    private CompletableFuture<String> move(ActorRef<AccountCommand> account, String operation) {
        return AskPattern.<AccountCommand, String>ask(
                        account,
                        replyTo -> new AccountCommand.Move(operation, List.of(1L), replyTo),
                        PATIENCE,
                        system.scheduler())
                .toCompletableFuture();
    }

    private static Behavior<Void> watcher(ActorRef<AccountCommand> account, CompletableFuture<Done> ended) {
        return Behaviors.setup(context -> {
            context.watch(account);
            return Behaviors.receive(Void.class)
                    .onSignal(Terminated.class, signal -> {
                        ended.complete(Done.getInstance());
                        return Behaviors.stopped();
                    })
                    .build();
        });
    }
}
