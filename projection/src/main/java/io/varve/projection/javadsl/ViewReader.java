package io.varve.projection.javadsl;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.ItemCodec;
import io.varve.projection.ItemTable;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.offset.Fence;
import io.varve.store.internal.offset.FencedItem;
import io.varve.store.internal.offset.FencedItems;
import io.varve.store.internal.offset.LastProcessed;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorSystem;

/** Reads the items of a view, on any node: the projection need not run there. */
public final class ViewReader<State> {
    private static final Backoff PAUSES = new Backoff(Duration.ofMillis(20), Duration.ofMillis(500), 0.2);

    private final String projection;
    private final ItemTable table;
    private final ItemCodec<State> codec;
    private final Gateway gateway;
    private final FencedItems items;

    private ViewReader(String projection, ItemTable table, ItemCodec<State> codec, Gateway gateway, FencedItems items) {
        this.projection = projection;
        this.table = table;
        this.codec = codec;
        this.gateway = gateway;
        this.items = items;
    }

    /** A reader of what a view of that name (that of its {@code ProjectionId}, without the key) writes. */
    public static <State> ViewReader<State> create(
            String projectionName,
            Optional<DynamoDBProjectionSettings> settings,
            ItemTable table,
            ItemCodec<State> codec,
            ActorSystem<?> system) {
        DynamoDBProjectionSettings used = settings.orElseGet(() -> DynamoDBProjectionSettings.create(system));
        PluginClients clients = PluginClients.get(system);
        Gateway gateway = clients.connect(
                        used.config(), used.path(), UnaryOperator.identity(), system.executionContext())
                .gateway();
        FencedItems items = new FencedItems(
                gateway,
                table.name(),
                projectionName,
                new FencedItems.Removed(table.shared(), table.keepRemoved(), table.expires()),
                clients.clock());
        return new ViewReader<>(projectionName, table, codec, gateway, items);
    }

    /** The state of an entity; none if it has no item, or its item was removed. One consistent read. */
    public CompletionStage<Optional<State>> get(String persistenceId) {
        return read(persistenceId).thenApply(this::state);
    }

    /**
     * The state of an entity that reflects its event of that number, or a later one: reads your own write. Until it does, the item is
     * read again, with pauses of up to half a second. Fails if that takes longer than the timeout.
     */
    public CompletionStage<Optional<State>> get(String persistenceId, long sequenceNumber, Duration timeout) {
        Instant end = Instant.now().plus(timeout);
        Iterable<Integer> reads =
                () -> IntStream.iterate(0, number -> number + 1).iterator();
        return Loop.find(
                        reads,
                        before -> gateway.after(before == 0 ? Duration.ZERO : PAUSES.delay(before))
                                .thenCompose(done -> read(persistenceId))
                                .thenApply(item -> Optional.of(item)
                                        .filter(found -> isReached(found, persistenceId, sequenceNumber, end))))
                .thenApply(found -> found.flatMap(this::state));
    }

    private boolean isReached(FencedItem item, String persistenceId, long asked, Instant end) {
        long number = item.fence()
                .map(Fence::reflects)
                .map(LastProcessed::sequenceNumber)
                .orElse(0L);
        if (number < asked && Instant.now().isAfter(end)) {
            throw new VarveException("The view '" + projection + "' does not reflect event " + asked + " of '"
                    + persistenceId + "' in time; it reflects " + (number == 0 ? "none" : "event " + number)
                    + ". Perhaps the projection does not run, or is behind.");
        }
        return number >= asked;
    }

    private CompletionStage<FencedItem> read(String persistenceId) {
        return items.read(Map.of(persistenceId, table.key().apply(persistenceId)))
                .thenApply(read -> Objects.requireNonNull(read.get(persistenceId)));
    }

    private Optional<State> state(FencedItem item) {
        return item.fence().filter(fence -> !fence.removed()).map(fence -> codec.decode(item.attributes()));
    }
}
