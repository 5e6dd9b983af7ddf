package io.varve.persistence.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.internal.plugin.PluginClients.Connection;
import io.varve.persistence.journal.LogCapture;
import io.varve.store.SettingsException;
import io.varve.store.StoreObserver;
import io.varve.store.TableMissingException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.ClientSettings;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

@DynamoDBTest
class PluginClientsTest {
    private static final String TABLE = "a-table-that-is-not-there";

    private final DynamoDBLocal local;
    private final ActorSystem system;
    private final PluginClients clients;

    PluginClientsTest(DynamoDBLocal local) {
        this.local = local;
        this.system = ActorSystem.create("clients", ConfigFactory.load(ConfigFactory.parseString("""
                        pekko.loglevel = ERROR
                        pekko.persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                        my.client { region = eu-west-1 }
                        """.formatted(
                        local.endpoint().getHost(), local.endpoint().getPort()))));
        this.clients = PluginClients.get(system);
    }

    @AfterEach
    void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private Connection connect(String path, String section) {
        Config config = ConfigFactory.parseString(section);
        return clients.connect(config, path, UnaryOperator.identity(), system.dispatcher());
    }

    private static DynamoDbAsyncClient client(Connection connection) {
        return connection.lease().client();
    }

    private static boolean isOpen(DynamoDbAsyncClient client) {
        try (LogCapture expected =
                LogCapture.of("io.netty.util.concurrent.DefaultPromise.rejectedExecution", Level.ERROR)) {
            return client.listTables()
                            .orTimeout(1, TimeUnit.SECONDS) // nobody answers for a closed client
                            .handle((tables, thrown) -> thrown == null)
                            .join()
                    && expected.events().isEmpty();
        }
    }

    /** The failure of a request to a table that is missing. */
    private static Throwable request(Connection connection) {
        return connection
                .gateway()
                .call(
                        Call.SCAN,
                        ScanRequest.builder().tableName(TABLE).build(),
                        connection.gateway().budget())
                .handle((response, thrown) -> Causes.unwrap(thrown))
                .toCompletableFuture()
                .join();
    }

    @Test
    void get_isTheSameForAllPluginsOfASystem() {
        assertThat(PluginClients.get(system)).isSameAs(clients);
    }

    @Test
    void equalConfiguration_sharesOneClientUntilTheLastUserHasClosed() {
        Connection journal = connect("journal", "tracing = off");
        Connection snapshots = connect("snapshots", "");
        Connection other = connect("other", "client.http.max-concurrency = 3");
        assertThat(client(journal)).isSameAs(client(snapshots)).isNotSameAs(client(other));
        journal.close();
        journal.close();
        assertThat(isOpen(client(snapshots))).isTrue();
        snapshots.close();
        assertThat(isOpen(client(snapshots))).isFalse();
        assertThat(isOpen(client(other))).isTrue();
        Connection next = connect("journal", "");
        assertThat(client(next)).isNotSameAs(client(journal));
        assertThat(isOpen(client(next))).isTrue();
    }

    @Test
    void predecessorsKeysAndOurs_thatMeanTheSame_shareAClient() {
        Connection old = connect("old", "aws-client-config.max-connections = 77");
        Connection modern = connect("modern", "client.http.max-concurrency = 77");
        assertThat(client(old)).isSameAs(client(modern));
    }

    @Test
    void termination_closesClientsInUse() {
        Connection connection = connect("journal", "");
        assertThat(isOpen(client(connection))).isTrue();
        TestKit.shutdownActorSystem(system);
        assertThat(isOpen(client(connection))).isFalse();
        connection.close();
    }

    @Test
    void ownClient_isUsedAndNeverClosed() {
        try (DynamoDbAsyncClient own = local.client()) {
            clients.useClient("my.client", own);
            Connection connection = connect("journal", "use-client = my.client");
            assertThat(client(connection)).isSameAs(own);
            assertThat(client(connect("snapshots", ""))).isNotSameAs(own);
            connection.close();
            TestKit.shutdownActorSystem(system);
            assertThat(isOpen(own)).isTrue();
        }
    }

    @Test
    void ownCredentials_areAskedAndSharedByEqualConfigurations() {
        AtomicInteger asked = new AtomicInteger();
        clients.useCredentials(ClientSettings.PATH, () -> {
            asked.incrementAndGet();
            return AwsBasicCredentials.create("own", "secret");
        });
        Connection connection = connect("journal", "");
        assertThat(client(connection)).isSameAs(client(connect("snapshots", "")));
        assertThat(isOpen(client(connection))).isTrue();
        assertThat(asked.get()).isPositive();
        assertThat(connection.settings().toString()).contains("Own[").doesNotContain("secret=");
    }

    @Test
    void sectionOfItsOwn_takesWhatItLacksFromTheSharedOne() {
        Connection connection = connect("journal", "use-client = my.client");
        assertThat(connection.settings().endpoint()).contains(local.endpoint());
        assertThat(isOpen(client(connection))).isTrue();
    }

    @Test
    void missingSection_isNamedWithThePluginThatAsksForIt() {
        assertThatThrownBy(() -> connect("my-journal", "use-client = your.client"))
                .isInstanceOf(SettingsException.class)
                .hasMessage(
                        "my-journal.use-client: names the section 'your.client', which the configuration does not have");
    }

    @Test
    void wrongClientSettings_areNamedAndNoClientIsMade() {
        assertThatThrownBy(() -> connect("my-journal", "client.request-timeout = -2 s"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll("request-timeout", "is -2 s, but must be longer than zero");
        assertThatThrownBy(() -> connect("my-journal", "tracing = perhaps"))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("my-journal.tracing (")
                .hasMessageContaining("has the wrong form");
        assertThatThrownBy(() -> connect("my-journal", "client.retires = 3"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll("retires", "this setting is not known");
        assertThatThrownBy(() -> connect("my-journal", "aws-client-config.max-connections = lots"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("my-journal.aws-client-config.max-connections");
    }

    @Test
    void observers_hearOfEachRequestAlsoBehindABrokenOne() {
        Connection connection = connect("journal", "");
        List<StoreObserver.Request> seen = new CopyOnWriteArrayList<>();
        try (LogCapture log = LogCapture.of(Observers.class, Level.WARN)) {
            clients.observe(request -> {
                throw new IllegalStateException("broken on purpose");
            });
            clients.observe(seen::add);
            assertThat(request(connection)).isInstanceOf(TableMissingException.class);
            assertThat(log.messages(Level.WARN)).singleElement().asString().contains("The store observer ");
        }
        assertThat(seen).singleElement().satisfies(request -> {
            assertThat(request.operation()).isEqualTo("Scan");
            assertThat(request.table()).isEqualTo(TABLE);
            assertThat(request.attempt()).isEqualTo(1);
            assertThat(request.failure()).isPresent();
        });
    }

    @Test
    void observers_thatThrowErrors_doNoHarm() {
        Connection connection = connect("journal", "tracing = on");
        List<StoreObserver.Request> seen = new CopyOnWriteArrayList<>();
        try (LogCapture log = LogCapture.of(Observers.class, Level.WARN)) {
            clients.observe(request -> {
                throw new NoClassDefFoundError("broken on purpose");
            });
            clients.observe(seen::add);
            assertThat(request(connection)).hasMessageContaining("does not exist");
            assertThat(log.messages(Level.WARN)).hasSize(1);
        }
        assertThat(seen).hasSize(1);
    }

    @Test
    void settingWithoutMeaning_isReportedOnceHoweverManyTimesThePluginConnects() {
        String section = "aws-client-config { use-reaper = true, use-gzip = default }";
        try (LogCapture log = LogCapture.of(PluginClients.class, Level.WARN)) {
            connect("my-journal", section).close();
            connect("my-journal", section).close();
            connect("your-journal", section).close();
            assertThat(log.messages(Level.WARN))
                    .containsExactly(
                            "The setting my-journal.aws-client-config.use-reaper has no meaning for today's AWS client and is ignored.",
                            "The setting your-journal.aws-client-config.use-reaper has no meaning for today's AWS client and is ignored.");
        }
    }
}
