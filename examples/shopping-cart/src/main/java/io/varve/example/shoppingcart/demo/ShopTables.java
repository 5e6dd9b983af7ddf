package io.varve.example.shoppingcart.demo;

import com.typesafe.config.Config;
import io.varve.example.shoppingcart.projection.PopularItemsTable;
import io.varve.persistence.DynamoDBClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.store.layout.TableDefinition;
import io.varve.store.layout.Tables;
import io.varve.store.table.CreateTables;
import io.varve.store.table.TableOptions;
import java.time.Duration;
import java.util.List;
import org.apache.pekko.actor.typed.ActorSystem;

/** Creates the tables of journal, snapshots and offsets, and the example's own. */
final class ShopTables {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String OPTIONS = "pekko.persistence.dynamodb.tables";

    private ShopTables() {}

    /** Creates what is missing and waits until it can be used; several nodes may do it at once. */
    static void create(ActorSystem<?> system, DynamoDBClients.Connection connection, PopularItemsTable popular) {
        Config config = system.settings().config();
        TableOptions options = TableOptions.from(config.getConfig(OPTIONS), OPTIONS);
        CreateTables tables = new CreateTables(connection.gateway(), PATIENCE);
        List<TableDefinition> definitions = List.of(
                Tables.journal(config.getString("dynamodb-journal.journal-table")),
                Tables.snapshots(config.getString("dynamodb-snapshot-store.snapshot-table")),
                Tables.offsets(DynamoDBProjectionSettings.create(system).timestampOffsetTable()));
        for (TableDefinition definition : definitions) {
            tables.create(definition, options).toCompletableFuture().join();
        }
        popular.create().toCompletableFuture().join();
    }
}
