package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Option;

/** Envelopes that somebody has filtered out, marked as Pekko's plugins mark them: without event, with NotUsed as metadata. */
class FilteredTest {
    private static TestBench bench;

    private final String name = TestBench.freshName();
    private final String id = TestEvents.ofSlice(5, 1).get(0);
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());

    @BeforeAll
    static void start() {
        bench = new TestBench();
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    private static EventEnvelope<String> filtered(String persistenceId, long number) {
        EventEnvelope<String> event = event(persistenceId, number);
        return new EventEnvelope<>(
                event.offset(),
                persistenceId,
                number,
                Option.empty(),
                event.timestamp(),
                Option.apply(NotUsed.getInstance()),
                event.entityType(),
                event.slice());
    }

    private DeliveryModes<EventEnvelope<String>> mode(Recorder.Kind kind) {
        return switch (kind) {
            case EXACTLY_ONCE ->
                TestBench.transacting(
                        event -> {
                            handled.add(event.getEvent());
                            return CompletableFuture.completedFuture(List.of());
                        },
                        1);
            case GROUP_COMMIT ->
                TestBench.committing(
                        event -> {
                            handled.add(event.getEvent());
                            return CompletableFuture.completedFuture(List.of());
                        },
                        1,
                        20);
            case EXACTLY_ONCE_GROUPED ->
                TestBench.transactingGroups(group -> {
                    group.forEach(event -> handled.add(event.getEvent()));
                    return CompletableFuture.completedFuture(List.of());
                });
            case FLOW ->
                DeliveryModes.atLeastOnceFlow(FlowWithContext.<EventEnvelope<String>, ProjectionContext>create()
                        .map(event -> {
                            handled.add(event.getEvent());
                            return Done.getInstance();
                        }));
            case AT_LEAST_ONCE -> new TestBench.Notes(handled).atLeastOnce();
            case AT_LEAST_ONCE_GROUPED -> new TestBench.Notes(handled).atLeastOnceGrouped();
        };
    }

    @ParameterizedTest
    @EnumSource
    void filteredEnvelopes_reachNoHandler_andMoveTheProgress(Recorder.Kind kind) {
        TestEvents events = new TestEvents(5, 5)
                .bring(List.of(event(id, 1), filtered(id, 2), filtered(id, 3), event(id, 4), filtered(id, 5)));
        OffsetTable table = bench.directTable(name);
        await(bench.run(name, events, mode(kind), table, How.plain()));
        assertThat(handled).hasSize(2);
        assertThat(events.asked()).as("no gap").isEmpty();
        assertThat(await(table.read(5, 5)).places())
                .hasEntrySatisfying(5, place -> assertThat(place.timestamp()).isEqualTo(TestEvents.timestamp(5)));

        events.bring(List.of(event(id, 6)));
        await(bench.run(name, events, mode(kind), table, How.plain()));
        assertThat(handled).hasSize(3);
        assertThat(await(table.lastProcessed(List.of(id), SetOffsets.NONE)))
                .containsEntry(id, new LastProcessed(id, 6, TestEvents.timestamp(6)));
    }
}
