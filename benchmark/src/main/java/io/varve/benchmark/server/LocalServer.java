package io.varve.benchmark.server;

import com.sun.management.OperatingSystemMXBean;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.benchmark.side.Side;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.journal.EventStoreSettings;
import io.varve.store.internal.settings.SettingsReader;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.PredecessorTables;
import io.varve.testkit.RequestLog;
import io.varve.testkit.RequestMatch;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A DynamoDB Local with a proxy in front of it, and tables for each side as its users have them. */
public final class LocalServer implements AutoCloseable {
    private final DynamoDBLocal server = DynamoDBLocal.inMemory();
    private final FaultProxy proxy = FaultProxy.start(server.endpoint());
    private final DynamoDbAsyncClient client = server.client();
    private final DynamoDbAsyncClient recorded = proxy.client();

    /** Starts one. */
    public LocalServer() {
        proxy.recording(false);
    }

    /** A client whose requests nobody counts. */
    public DynamoDbAsyncClient client() {
        return client;
    }

    /** What the server and the proxy, which runs in this JVM, have computed. */
    public Duration cpu() {
        OperatingSystemMXBean own = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return ProcessHandle.of(server.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .plusNanos(own.getProcessCpuTime());
    }

    /** From now on each request takes so much longer. */
    public void latency(Duration latency) {
        proxy.clear();
        if (!latency.isZero()) {
            proxy.on(RequestMatch.any(), Fault.delay(latency));
        }
    }

    /** From now on requests are recorded, in an empty log. */
    public RequestLog record() {
        proxy.requests().clear();
        return proxy.recording(true).requests();
    }

    /** Counts no longer. */
    public void endRecord() {
        proxy.recording(false);
    }

    /** Creates the tables of all sides. */
    public Map<Side, Side.Tables> createTables(List<Side> sides) {
        Map<Side, Side.Tables> tables = new EnumMap<>(Side.class);
        sides.forEach(side -> tables.put(side, createTables(side)));
        return tables;
    }

    /** Creates the tables of a side. */
    public Side.Tables createTables(Side side) {
        Side.Tables tables = new Side.Tables(proxy.endpoint(), "journal-" + side.word(), "snapshots-" + side.word());
        if (side == Side.VARVE || side == Side.OTHER) {
            create(Tables.journal(tables.journal()));
        } else {
            PredecessorTables.createJournal(client, tables.journal());
        }
        if (side == Side.PEER) {
            PredecessorTables.createSnapshots(client, tables.snapshots());
        } else {
            create(Tables.snapshots(tables.snapshots()));
        }
        return tables;
    }

    private void create(TableDefinition table) {
        new TableCreator(gateway(client), Duration.ofSeconds(30))
                .create(table, TableOptions.DEFAULT)
                .toCompletableFuture()
                .join();
    }

    /** The store's own reader of a side's journal, in this JVM, whose requests are recorded: it already knows the journal. */
    public EventReader reader(Side.Tables tables) {
        Config journal = ConfigFactory.parseMap(Map.of("journal-table", tables.journal()))
                .withFallback(ConfigFactory.defaultReference().getConfig("dynamodb-journal"));
        EventReader reader = new EventReader(
                gateway(recorded),
                EventStoreSettings.from(new SettingsReader(journal, "dynamodb-journal")),
                InstantSource.system());
        reader.ready().toCompletableFuture().join();
        return reader;
    }

    private static Gateway gateway(DynamoDbAsyncClient client) {
        GatewaySettings settings = GatewaySettings.from(
                ConfigFactory.defaultReference().getConfig(ClientSettings.PATH), ClientSettings.PATH);
        return new Gateway(client, settings, StoreObserver.NONE, ForkJoinPool.commonPool());
    }

    /** The entities of a measurement: names that fall into different slices. */
    public static List<String> entities(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> "bench|" + name + "-" + number)
                .toList();
    }

    @Override
    public void close() {
        client.close();
        recorded.close();
        proxy.close();
        server.close();
    }
}
