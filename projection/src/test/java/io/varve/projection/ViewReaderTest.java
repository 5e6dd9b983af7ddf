package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.view.ItemModes;
import io.varve.projection.javadsl.ViewReader;
import io.varve.store.VarveException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reading a view, also what one has just written. */
class ViewReaderTest {
    private static TestBench bench;

    private final String name = TestBench.freshName();
    private final String a = TestEvents.ofSlice(5, 1).get(0);

    @BeforeAll
    static void start() {
        bench = new TestBench();
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    record Count(long events) {}

    private static final class Counting extends ViewHandler<Count, String> {
        @Override
        public Count emptyState() {
            return new Count(0);
        }

        @Override
        public Count apply(Count state, EventEnvelope<String> envelope) {
            return new Count(envelope.getEvent().equals("remove") ? -1 : state.events() + 1);
        }

        @Override
        public boolean isRemoved(Count state) {
            return state.events() < 0;
        }
    }

    private ItemTable items() {
        return ItemTable.of(bench.test().target(), id -> Map.of("id", AttributeValue.fromS(name + " " + id)));
    }

    private ViewReader<Count> reader() {
        return ViewReader.create(name, Optional.empty(), items(), JacksonItemCodec.of(Count.class), bench.system());
    }

    private void run(List<EventEnvelope<String>> events) {
        DeliveryModes<EventEnvelope<String>> view = new ItemModes(
                        items(), bench.gateway(bench.client(), Duration.ofSeconds(30)))
                .view(JacksonItemCodec.of(Count.class), Counting::new);
        await(bench.run(name, new TestEvents(5, 5).bring(events), view, bench.table(name), TestBench.How.plain()));
    }

    @Test
    void stateOfAnEntity_untilItsItemIsRemoved() {
        assertThat(await(reader().get(a))).isEmpty();
        run(List.of(TestEvents.event(a, 1), TestEvents.event(a, 2)));
        assertThat(await(reader().get(a))).contains(new Count(2));
        run(List.of(TestEvents.withText(TestEvents.event(a, 3), "remove")));
        assertThat(await(reader().get(a))).isEmpty();
        assertThat(await(reader().get(a, 3, Duration.ofSeconds(30)))).isEmpty();
    }

    @Test
    void ownWrite_isWaitedFor() {
        CompletableFuture<Optional<Count>> waiting =
                reader().get(a, 2, Duration.ofSeconds(30)).toCompletableFuture();
        run(List.of(TestEvents.event(a, 1)));
        assertThat(waiting).isNotDone();
        run(List.of(TestEvents.event(a, 1), TestEvents.event(a, 2)));
        assertThat(await(waiting)).contains(new Count(2));
    }

    @Test
    void ownWriteThatDoesNotCome_isAnErrorThatSaysHowFarTheViewIs() {
        run(List.of(TestEvents.event(a, 1)));
        assertThatThrownBy(() -> await(reader().get(a, 2, Duration.ofMillis(1))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("event 2 of '" + a + "'")
                .hasMessageContaining("reflects event 1");
    }
}
