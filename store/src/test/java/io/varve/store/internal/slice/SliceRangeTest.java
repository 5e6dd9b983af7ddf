package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A query delivers the events of its journal, entity types and slices, and no others. */
@DynamoDBTest
class SliceRangeTest {
    private final TestJournal journal;
    private final FaultProxy proxy;

    SliceRangeTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal());
    }

    @AfterEach
    void close() {
        journal.close();
    }

    private static List<Event> current(TestJournal journal, SliceRange... ranges) {
        try (TestSliceQuery query =
                TestSliceQuery.current(journal, TestSettings.pages(3), SliceStart.BEGINNING, ranges)) {
            List<Event> taken = query.take();
            assertThat(query.failure()).isEmpty();
            assertThat(query.query().isFinished()).isTrue();
            return taken;
        }
    }

    @Test
    void namesWhoseIndexKeysAreTheSame_areKeptApart() {
        try (TestJournal a = journal.sibling("a");
                TestJournal ab = journal.sibling("a-b")) {
            List<Event> ofA = new ArrayList<>();
            List<Event> ofAb = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                ofA.add(event("b-c|" + i, 1, journal.at(Duration.ofMinutes(-10)) + i));
                ofAb.add(event("c|" + i, 1, journal.at(Duration.ofMinutes(-10)) + i));
            }
            a.put(ofA);
            ab.put(ofAb);
            assertThat(current(a, SliceRange.all("b-c"))).isEqualTo(ofA);
            assertThat(current(ab, SliceRange.all("c"))).isEqualTo(ofAb);
        }
    }

    @Test
    void severalEntityTypes_areMerged_andThoseWithoutATypeAreOne() {
        Event cart = event("cart|1", 1, journal.at(Duration.ofMinutes(-4)));
        Event order = event("order|1", 1, journal.at(Duration.ofMinutes(-3)));
        Event plain = event("plain", 1, journal.at(Duration.ofMinutes(-2)));
        Event other = event("other|1", 1, journal.at(Duration.ofMinutes(-1)));
        journal.put(cart, order, plain, other);
        assertThat(current(journal, SliceRange.all("order"), SliceRange.all(""), SliceRange.all("cart")))
                .containsExactly(cart, order, plain);
    }

    @Test
    void typeThatIsAddedWhileTheQueryRuns_isReadFromItsStart() {
        Event cart = event("cart|1", 1, journal.at(Duration.ofMinutes(-4)));
        Event order = event("order|1", 1, journal.at(Duration.ofMinutes(-30)));
        journal.put(cart, order);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(3))).containsExactly(cart);
            query.query().read(List.of(SliceRange.all("order")));
            assertThat(query.takeDuring(Duration.ofSeconds(3))).containsExactly(order);
        }
    }

    @ParameterizedTest
    @CsvSource({"0,1023,4", "0,255,1", "256,511,1", "100,100,1", "200,300,2", "255,768,4", "10,20,1"})
    void range_bringsItsSlices_fromTheShardsThatHoldThem(int min, int max, int shards) {
        List<Event> stored = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            stored.add(event("cart|" + i, 1, journal.at(Duration.ofMinutes(-10)) + i));
        }
        journal.put(stored);
        assertThat(current(journal, new SliceRange("cart", min, max)))
                .isEqualTo(stored.stream()
                        .filter(event -> Slices.of(event.persistenceId()) >= min)
                        .filter(event -> Slices.of(event.persistenceId()) <= max)
                        .toList());
        assertThat(proxy.requests().requests().stream()
                        .flatMap(request -> request.partitionKeys().stream())
                        .distinct())
                .hasSize(shards);
    }

    @Test
    void unknownType_isEmpty() {
        journal.put(event("cart|1", 1, journal.at(Duration.ofMinutes(-4))));
        assertThat(current(journal, SliceRange.all("nobody"))).isEmpty();
        assertThat(current(journal)).as("no range at all").isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"-1,5", "0,1024", "7,6"})
    void rangeThatDoesNotExist_isAnError(int min, int max) {
        assertThatThrownBy(() -> new SliceRange("cart", min, max))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(min + ".." + max)
                .hasMessageContaining("0..1023");
    }
}
