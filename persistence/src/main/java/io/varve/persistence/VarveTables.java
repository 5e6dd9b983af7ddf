package io.varve.persistence;

import com.typesafe.config.Config;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.CreatedTable;
import io.varve.store.table.Difference;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.ClassicActorSystemProvider;

/**
 * Creates and verifies the tables that an application's configuration names, with the journal's client.
 *
 * <p>Creating is idempotent, and several nodes may do it at once: whoever is second waits for the table. A table that exists is
 * never changed, except that time to live and point-in-time recovery are enabled where the options say so.
 */
public final class VarveTables {
    private static final String JOURNAL = "dynamodb-journal";
    private static final String SNAPSHOTS = "dynamodb-snapshot-store";
    private static final String PROJECTIONS = "pekko.projection.dynamodb";
    private static final String OPTIONS = "pekko.persistence.dynamodb.tables";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private VarveTables() {}

    /**
     * The tables of the sections {@code dynamodb-journal} and {@code dynamodb-snapshot-store}, and that of the offsets where
     * {@code varve-projection} is on the class path.
     */
    public static List<TableDefinition> configured(ClassicActorSystemProvider system) {
        Config config = system.classicSystem().settings().config();
        List<TableDefinition> tables = new ArrayList<>();
        tables.add(Tables.journal(config.getString(JOURNAL + ".journal-table")));
        tables.add(Tables.snapshots(config.getString(SNAPSHOTS + ".snapshot-table")));
        if (config.hasPath(PROJECTIONS)) {
            tables.add(Tables.offsets(config.getString(PROJECTIONS + ".offset-store.timestamp-offset-table")));
        }
        return List.copyOf(tables);
    }

    /**
     * Creates those of the {@linkplain #configured configured tables} that are missing, as {@code
     * pekko.persistence.dynamodb.tables} says, and waits until they can be used.
     */
    public static CompletionStage<List<CreatedTable>> createAll(ClassicActorSystemProvider system) {
        Config config = system.classicSystem().settings().config();
        TableOptions options = TableOptions.from(config.getConfig(OPTIONS), OPTIONS);
        return withTables(system, tables -> inTurn(configured(system), table -> tables.create(table, options)));
    }

    /** Creates a table if it is missing, and waits until it can be used; fails if one that exists cannot be used. */
    public static CompletionStage<CreatedTable> create(
            ClassicActorSystemProvider system, TableDefinition table, TableOptions options) {
        return withTables(system, tables -> tables.create(table, options));
    }

    /** In what the {@linkplain #configured configured tables} differ from their definitions. Changes nothing. */
    public static CompletionStage<List<Difference>> verify(ClassicActorSystemProvider system) {
        return withTables(system, tables -> inTurn(configured(system), tables::verify))
                .thenApply(found -> found.stream().flatMap(List::stream).toList());
    }

    private static <T> CompletionStage<T> withTables(
            ClassicActorSystemProvider provider, Function<TableCreator, CompletionStage<T>> action) {
        ActorSystem system = provider.classicSystem();
        PluginClients.Connection connection = PluginClients.get(system)
                .connect(
                        system.settings().config().getConfig(JOURNAL),
                        JOURNAL,
                        UnaryOperator.identity(),
                        system.dispatcher());
        return action.apply(new TableCreator(connection.gateway(), PATIENCE))
                .whenComplete((done, failed) -> connection.close());
    }

    /** DynamoDB limits how many tables may be in the making at once. */
    private static <T> CompletionStage<List<T>> inTurn(
            List<TableDefinition> tables, Function<TableDefinition, CompletionStage<T>> action) {
        CompletionStage<List<T>> all = CompletableFuture.completedFuture(List.of());
        for (TableDefinition table : tables) {
            all = all.thenCompose(before -> action.apply(table).thenApply(result -> {
                List<T> results = new ArrayList<>(before);
                results.add(result);
                return List.copyOf(results);
            }));
        }
        return all;
    }
}
