package io.varve.store.internal;

import com.typesafe.config.ConfigFactory;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.testkit.DynamoDBLocal;
import java.time.Duration;

/** Creates tables, with a client that all tests of a JVM share: to make one takes longer than to create a table. */
public final class TestTables {
    private static final TableCreator CREATOR = new TableCreator(
            new Gateway(
                    DynamoDBLocal.shared().client(),
                    GatewaySettings.from(
                            ConfigFactory.defaultReference().getConfig(ClientSettings.PATH), ClientSettings.PATH),
                    StoreObserver.NONE,
                    Runnable::run),
            Duration.ofSeconds(30));

    private TestTables() {}

    public static void create(TableDefinition table) {
        CREATOR.create(table, TableOptions.DEFAULT).toCompletableFuture().join();
    }
}
