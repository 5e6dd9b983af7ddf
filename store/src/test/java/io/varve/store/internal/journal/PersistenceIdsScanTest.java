package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.VarveException;
import io.varve.store.internal.entity.Listing;
import io.varve.store.internal.entity.Source;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.JournalMeta;
import io.varve.store.internal.layout.StandIn;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import io.varve.testkit.ThrottleCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** EntityMemory listed by a scan, of a table that has no index. */
@DynamoDBTest
class PersistenceIdsScanTest {
    private static final JournalKeys KEYS = new JournalKeys("journal");
    private static final int SEGMENTS = 4;
    private static final Source SCAN = new Source.Scan(SEGMENTS);

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String name;
    private ListedTable table;

    PersistenceIdsScanTest(FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.name = names.journal();
        this.table = new ListedTable(client, name);
    }

    @BeforeEach
    void create() {
        table = ListedTable.create(client, name);
    }

    @AfterEach
    void close() {
        client.close();
    }

    private static Map<String, AttributeValue> with(
            Map<String, AttributeValue> key, String attribute, AttributeValue value) {
        Map<String, AttributeValue> item = new HashMap<>(key);
        item.put(attribute, value);
        return item;
    }

    /** So many entities, of two events each that together do not fit into a page with another's. */
    private List<String> large(int entities) {
        List<String> ids = IntStream.range(0, entities).mapToObj(i -> "e-" + i).toList();
        String text = "x".repeat(300_000);
        ids.forEach(id -> table.put(
                List.of(ListedTable.event("journal", id, 1, text), ListedTable.event("journal", id, 101, text))));
        proxy.requests().clear();
        return ids;
    }

    @Test
    void everyKindOfItemThatAnEntityHas_listsIt() {
        AttributeValue seq = AttributeValue.fromN("100");
        table.put(List.of(
                ListedTable.event("journal", "event-100", 100, ""),
                with(KEYS.eventKey("oldest", 205), "pay", AttributeValue.fromS("")),
                with(KEYS.lowKey("deleted-1", 7), "seq", seq),
                StandIn.encode(KEYS, "stand-in"),
                with(KEYS.highKey("only-a-high-mark", 0), "seq", seq),
                new JournalMeta(1, 64).encode(KEYS),
                with(new JournalKeys("journal-P").highKey("theirs", 0), "seq", seq),
                with(
                        new JournalKeys("journal-SL").eventKey("theirs", 5),
                        "persistence_id",
                        AttributeValue.fromS("theirs"))));
        assertThat(table.list("journal", SCAN)).containsExactly("deleted-1", "event-100", "oldest", "stand-in");
    }

    @Test
    void eachCall_readsAtMostOnePageOfEachSegment_andTheIdsComeSortedInTheEnd() {
        List<String> ids = large(12);
        Listing listing = table.ids("journal", SCAN).list(Optional.empty());
        Optional<List<String>> page = TestStore.await(listing.next());
        while (page.isPresent() && page.get().isEmpty()) {
            assertThat(proxy.requests().operations())
                    .hasSizeBetween(1, SEGMENTS)
                    .containsOnly("Scan");
            proxy.requests().clear();
            page = TestStore.await(listing.next());
        }
        assertThat(proxy.requests().size()).isZero();
        assertThat(page).contains(ids.stream().sorted().toList());
        assertThat(TestStore.await(listing.next())).isEmpty();
    }

    @Test
    void oneSegment_readsTheTableOnce() {
        table.putFirstEvents("journal", List.of("b", "a"));
        proxy.requests().clear();
        assertThat(table.list("journal", new Source.Scan(1))).containsExactly("a", "b");
        assertThat(proxy.requests().operations()).isEqualTo(Collections.nCopies(1, "Scan"));
    }

    @Test
    void throttledAndBrokenScans_areRepeated() {
        List<String> ids = large(8);
        proxy.on(
                RequestMatch.operation("Scan").skip(1).times(3),
                Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        proxy.on(RequestMatch.operation("Scan").times(2), Fault.resetAfter());
        proxy.on(RequestMatch.operation("Scan").times(1), Fault.internalServerError());
        assertThat(table.list("journal", SCAN)).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void scanThatFailed_goesOnWhenItIsAskedAgain() {
        List<String> ids = large(8);
        proxy.on(
                RequestMatch.operation("Scan").skip(2).times(1),
                Fault.error(400, "AccessDeniedException", "not allowed"));
        Listing listing = table.ids("journal", SCAN).list(Optional.empty());
        assertThatThrownBy(() -> ListedTable.all(listing))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("not allowed");
        assertThat(ListedTable.all(listing)).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void pagesOfOne_areSorted() {
        List<String> ids = List.of("x-1", "Cart|2", "ü", "x");
        table.putFirstEvents("journal", ids);
        Listing listing = table.ids("journal", SCAN).list(Optional.of("Cart|2"), 1);
        List<List<String>> pages = new ArrayList<>();
        for (Optional<List<String>> page = TestStore.await(listing.next());
                page.isPresent();
                page = TestStore.await(listing.next())) {
            pages.add(page.get());
        }
        assertThat(pages).containsExactly(List.of(), List.of("x"), List.of("x-1"), List.of("ü"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1001})
    void numberOfSegments_isBounded(int segments) {
        assertThatThrownBy(() -> new Source.Scan(segments)).isInstanceOf(IllegalArgumentException.class);
    }
}
