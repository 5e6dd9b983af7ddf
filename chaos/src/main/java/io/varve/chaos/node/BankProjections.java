package io.varve.chaos.node;

import io.varve.chaos.node.ModelTable.Processed;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.typed.javadsl.ShardedDaemonProcess;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import org.apache.pekko.projection.javadsl.SourceProvider;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Three projections by slices, each divided into so many instances. Nodes with another number of them run beside each other. */
final class BankProjections {
    private static final String EXACTLY_ONCE = "exactly-once";
    private static final String GROUPED = "grouped";
    private static final String AT_LEAST_ONCE = "at-least-once";

    private final ActorSystem<?> system;
    private final ModelTable table;
    private final List<Pair<Integer, Integer>> ranges;

    BankProjections(ActorSystem<?> system, ModelTable table) {
        this.system = system;
        this.table = table;
        this.ranges = Persistence.get(system)
                .getSliceRanges(system.settings().config().getInt("chaos.projection-instances"));
    }

    /** Makes this node a place for instances. */
    void init() {
        distribute(
                EXACTLY_ONCE,
                (id, events) -> DynamoDBProjection.exactlyOnce(
                        id,
                        Optional.empty(),
                        events,
                        () -> DynamoDBTransactHandler.fromFunction(this::single),
                        system));
        distribute(
                GROUPED,
                (id, events) -> DynamoDBProjection.exactlyOnceGroupedWithin(
                        id, Optional.empty(), events, () -> DynamoDBTransactHandler.fromFunction(this::group), system));
        distribute(
                AT_LEAST_ONCE,
                (id, events) -> DynamoDBProjection.atLeastOnce(
                        id, Optional.empty(), events, () -> Handler.fromFunction(this::store), system));
    }

    private void distribute(
            String name,
            BiFunction<ProjectionId, SourceProvider<Offset, EventEnvelope<String>>, Projection<EventEnvelope<String>>>
                    projection) {
        ShardedDaemonProcess.get(system)
                .init(
                        ProjectionBehavior.Command.class,
                        name + "-of-" + ranges.size(),
                        ranges.size(),
                        index ->
                                ProjectionBehavior.create(projection.apply(id(name, ranges.get(index)), events(index))),
                        ProjectionBehavior.stopMessage());
    }

    private SourceProvider<Offset, EventEnvelope<String>> events(int index) {
        return DynamoDBSourceProvider.eventsBySlices(
                system,
                AccountEntity.TYPE.name(),
                ranges.get(index).first(),
                ranges.get(index).second());
    }

    private static ProjectionId id(String name, Pair<Integer, Integer> slices) {
        return ProjectionId.of(name, slices.first() + "-" + slices.second());
    }

    /** Stops a projection until it is resumed. */
    CompletionStage<Done> pause(String name) {
        return all(name, ProjectionManagement.get(system)::pause);
    }

    /** Lets a paused projection go on. */
    CompletionStage<Done> resume(String name) {
        return all(name, ProjectionManagement.get(system)::resume);
    }

    /** Lets a projection process everything again that is still there. */
    CompletionStage<Done> rewind(String name) {
        return all(name, ProjectionManagement.get(system)::clearOffset);
    }

    /** One after another, because each writes a row for every slice. */
    private CompletionStage<Done> all(String name, Function<ProjectionId, CompletionStage<Done>> operation) {
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        for (Pair<Integer, Integer> slices : ranges) {
            all = all.thenCompose(done -> operation.apply(id(name, slices)));
        }
        return all;
    }

    private CompletionStage<Collection<TransactWriteItem>> single(EventEnvelope<String> envelope) {
        return CompletableFuture.completedFuture(List.of(table.change(EXACTLY_ONCE, processed(List.of(envelope)))));
    }

    private CompletionStage<Collection<TransactWriteItem>> group(List<EventEnvelope<String>> envelopes) {
        Map<String, List<EventEnvelope<String>>> byAccount = new LinkedHashMap<>();
        envelopes.forEach(envelope -> byAccount
                .computeIfAbsent(envelope.persistenceId(), id -> new ArrayList<>())
                .add(envelope));
        return CompletableFuture.completedFuture(byAccount.values().stream()
                .map(events -> table.change(GROUPED, processed(events)))
                .toList());
    }

    private CompletionStage<Done> store(EventEnvelope<String> envelope) {
        return table.store(AT_LEAST_ONCE, processed(List.of(envelope)));
    }

    private static Processed processed(List<EventEnvelope<String>> events) {
        return new Processed(
                events.get(0).persistenceId(),
                events.stream().map(EventEnvelope::sequenceNr).toList(),
                events.stream().mapToLong(event -> amount(event.getEvent())).sum());
    }

    static long amount(String event) {
        return AccountState.amount(event.substring(0, event.indexOf(' ')));
    }
}
