package io.varve.projection.javadsl;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;

/** Creates the table of offsets. */
public final class CreateTables {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private CreateTables() {}

    /**
     * Creates the offset table if it is missing, and waits until it can be used; on demand, with time to live.
     *
     * @param deleteIfExists deletes a table of that name first, with all offsets: for tests
     */
    public static CompletionStage<Done> createTimestampOffsetStoreTable(
            ActorSystem<?> system,
            DynamoDBProjectionSettings settings,
            DynamoDbAsyncClient client,
            boolean deleteIfExists) {
        String table = settings.timestampOffsetTable();
        Gateway gateway = new Gateway(
                client,
                PluginClients.get(system).gatewaySettings(settings.config(), settings.path()),
                StoreObserver.NONE,
                system.executionContext());
        CompletionStage<?> cleared = deleteIfExists ? delete(client, table) : CompletableFuture.completedFuture(null);
        return cleared.thenCompose(
                        done -> new TableCreator(gateway, TIMEOUT).create(Tables.offsets(table), TableOptions.DEFAULT))
                .thenApply(created -> Done.getInstance());
    }

    private static CompletionStage<?> delete(DynamoDbAsyncClient client, String table) {
        return client.deleteTable(request -> request.tableName(table))
                .thenCompose(deleted -> client.waiter().waitUntilTableNotExists(wait -> wait.tableName(table)))
                .handle((done, thrown) -> {
                    if (thrown != null && !(Causes.unwrap(thrown) instanceof ResourceNotFoundException)) {
                        throw new CompletionException(thrown);
                    }
                    return done;
                });
    }
}
