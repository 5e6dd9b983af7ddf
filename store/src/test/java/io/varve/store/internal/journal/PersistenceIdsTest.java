package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.ListedTable.PID_INDEX;
import static io.varve.store.internal.journal.ListedTable.PROJECTED;
import static io.varve.store.internal.journal.ListedTable.SORTED;
import static io.varve.store.internal.journal.ListedTable.UNSORTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.TableException;
import io.varve.store.VarveException;
import io.varve.store.internal.entity.Listing;
import io.varve.store.internal.entity.PersistenceIds;
import io.varve.store.internal.entity.Source;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.StandIn;
import io.varve.testkit.Capacity;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import io.varve.testkit.internal.capacity.ItemBytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** EntityMemory listed by the index that is made for it, and what all sources have in common. */
@DynamoDBTest
class PersistenceIdsTest {
    private static final JournalKeys KEYS = new JournalKeys("journal");
    private static final Source INDEX = new Source.Index();
    private static final List<String> ODD_IDS = List.of(
            "x",
            "x-0",
            "x-1",
            "x-1-2",
            "x-10",
            "Cart|1",
            "Cart|1|2",
            "|",
            "a b",
            " ",
            "ünï-✓",
            "𝄞",
            "-",
            "--",
            "0",
            "P-x",
            "b-P-x",
            "SL-x-0",
            "ID-x",
            "META",
            "x#y:z/ä");

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table;

    PersistenceIdsTest(FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.table = names.journal();
    }

    @AfterEach
    void close() {
        client.close();
    }

    static Stream<Source> sources() {
        return Stream.of(
                INDEX,
                new Source.PredecessorIndex("sorted"),
                new Source.PredecessorIndex("unsorted"),
                new Source.PredecessorIndex("projected"),
                new Source.Scan(1),
                new Source.Scan(Source.Scan.DEFAULT_SEGMENTS));
    }

    private ListedTable withAllIndexes() {
        return ListedTable.create(client, table, PID_INDEX, SORTED, UNSORTED, PROJECTED);
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "Cart|" + i).toList();
    }

    @ParameterizedTest
    @MethodSource("sources")
    void idsOfAnyShape_areListedOnce(Source source) {
        ListedTable listed = withAllIndexes();
        listed.putFirstEvents("journal", ODD_IDS);
        listed.put(ODD_IDS.stream()
                .map(id -> ListedTable.event("journal", id, 101, ""))
                .toList());
        assertThat(listed.list("journal", source)).containsExactlyInAnyOrderElementsOf(ODD_IDS);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void emptyTable_hasNoIds(Source source) {
        assertThat(withAllIndexes().list("journal", source)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("sources")
    void otherJournalNames_doNotShow(Source source) {
        ListedTable listed = withAllIndexes();
        listed.putFirstEvents("a", List.of("mine", "mine-1"));
        List.of("a-1", "a-", "aa", "b", "a-SL", "a-ID", "a-SH", "a-META", "A")
                .forEach(other -> listed.putFirstEvents(other, List.of("theirs", "1-theirs", "0")));
        assertThat(listed.list("a", source)).containsExactlyInAnyOrder("mine", "mine-1");
        assertThat(listed.list("a-1", source)).containsExactlyInAnyOrder("theirs", "1-theirs", "0");
    }

    @Test
    void namesWhoseKeysCanBeReadInTwoWays_areToldApartWhereTheItemHoldsItsId() {
        ListedTable listed = withAllIndexes();
        listed.putFirstEvents("a", List.of("mine", "P-mine"));
        listed.putFirstEvents("a-P", List.of("theirs"));
        listed.putFirstEvents("a-P-b", List.of("theirs"));
        for (Source source : List.of(INDEX, new Source.PredecessorIndex("projected"), new Source.Scan(2))) {
            assertThat(listed.list("a", source)).containsExactlyInAnyOrder("mine", "P-mine");
            assertThat(listed.list("a-P", source)).containsExactly("theirs");
        }
        assertThat(listed.list("a", new Source.PredecessorIndex("sorted")))
                .as("an index of bare keys cannot tell")
                .containsExactlyInAnyOrder("mine", "P-mine", "P-theirs", "b-P-theirs");
    }

    @ParameterizedTest
    @MethodSource("sources")
    void listingsThatGoOnAfterAnId_giveEachIdOnce_whateverTheLimit(Source source) {
        ListedTable listed = withAllIndexes();
        listed.putFirstEvents("journal", ODD_IDS);
        listed.putFirstEvents("journal-1", numbered(20));
        PersistenceIds ids = listed.ids("journal", source);
        for (int limit : List.of(1, 2, 3, 7, 1000)) {
            List<String> all = new ArrayList<>();
            List<String> taken = take(ids, Optional.empty(), limit);
            while (!taken.isEmpty()) {
                all.addAll(taken);
                taken = take(ids, Optional.of(all.get(all.size() - 1)), limit);
            }
            assertThat(all).as("limit " + limit).containsExactlyInAnyOrderElementsOf(ODD_IDS);
        }
    }

    /** The first ids of a listing that is then given up. */
    private static List<String> take(PersistenceIds ids, Optional<String> afterId, int limit) {
        Listing listing = ids.list(afterId, limit);
        List<String> taken = new ArrayList<>();
        while (taken.size() < limit) {
            Optional<List<String>> page = TestStore.await(listing.next());
            if (page.isEmpty()) {
                break;
            }
            assertThat(page.get()).hasSizeLessThanOrEqualTo(limit);
            taken.addAll(page.get());
        }
        return taken.subList(0, Math.min(limit, taken.size()));
    }

    @ParameterizedTest
    @MethodSource("sources")
    void afterTheEnd_theEndIsRepeated(Source source) {
        ListedTable listed = withAllIndexes();
        listed.putFirstEvents("journal", List.of("x"));
        Listing listing = listed.ids("journal", source).list(Optional.empty());
        assertThat(ListedTable.all(listing)).containsExactly("x");
        int requests = proxy.requests().size();
        assertThat(TestStore.await(listing.next())).isEmpty();
        assertThat(proxy.requests().size()).isEqualTo(requests);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void pageWithoutRoom_isRefused(int pageSize) {
        assertThatThrownBy(() ->
                        new ListedTable(client, table).ids("journal", INDEX).list(Optional.empty(), pageSize))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tenThousandEntities_areOneQueryForEachBucket_andTheirEntriesCapacity() {
        ListedTable listed = ListedTable.create(client, table, PID_INDEX);
        List<String> ids = numbered(10_000);
        proxy.recording(false);
        listed.putFirstEvents("journal", ids);
        proxy.recording(true);
        proxy.requests().clear();
        assertThat(listed.list("journal", INDEX)).hasSize(10_000).doesNotHaveDuplicates();
        assertThat(proxy.requests().operations()).isEqualTo(Collections.nCopies(16, "Query[pid-idx]"));
        double units = byBucket(ids).values().stream()
                .mapToDouble(bucket -> readUnits(bucket))
                .sum();
        assertThat(proxy.requests().capacity()).isEqualTo(new Capacity(0, 0, units));

        proxy.requests().clear();
        Listing inPages = listed.ids("journal", INDEX).list(Optional.empty(), 100);
        assertThat(ListedTable.all(inPages)).hasSize(10_000).doesNotHaveDuplicates();
        int pages = byBucket(ids).values().stream()
                .mapToInt(bucket -> bucket.size() / 100 + 1)
                .sum();
        assertThat(proxy.requests().operations()).isEqualTo(Collections.nCopies(pages, "Query[pid-idx]"));
        assertThat(proxy.requests().capacity().readUnits()).isBetween(units, units + pages * 0.5);
    }

    private static Map<String, List<String>> byBucket(List<String> ids) {
        return ids.stream().collect(Collectors.groupingBy(KEYS::bucket));
    }

    /** An eventually consistent read of the entries of a bucket. */
    private static double readUnits(List<String> bucket) {
        int bytes = bucket.stream()
                .mapToInt(id -> {
                    Map<String, AttributeValue> entry = new HashMap<>(ListedTable.event("journal", id, 1, ""));
                    entry.keySet().retainAll(List.of("par", "num", "persistence_id", "pid_bucket"));
                    return ItemBytes.of(entry);
                })
                .sum();
        return Math.ceil(bytes / 4096.0) / 2;
    }

    @Test
    void entityDeletedToTheEnd_staysListed_andOneThatIsPurged_vanishes() {
        ListedTable listed = withAllIndexes();
        TestStore store = TestStore.on(client, table).build();
        List.of("kept", "deleted", "purged").forEach(id -> store.append(id, 1, 3));
        store.delete("deleted", 3);
        store.delete("purged", 3);
        Stream.of(KEYS.standInKey("purged"), KEYS.lowKey("purged", 0))
                .forEach(key ->
                        client.deleteItem(r -> r.tableName(table).key(key)).join());
        assertThat(listed.list("journal", INDEX)).containsExactlyInAnyOrder("kept", "deleted");
        assertThat(listed.list("journal", new Source.Scan(3))).containsExactlyInAnyOrder("kept", "deleted");
        assertThat(listed.list("journal", new Source.PredecessorIndex("sorted")))
                .as("the predecessors' index has first events only")
                .containsExactly("kept");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100})
    void entityThatHasItsFirstEventAndAStandIn_isListedOnce(int pageSize) {
        ListedTable listed = withAllIndexes();
        List<String> ids = numbered(40);
        listed.putFirstEvents("journal", ids);
        listed.put(ids.stream().map(id -> StandIn.encode(KEYS, id)).toList());
        Listing listing = listed.ids("journal", INDEX).list(Optional.empty(), pageSize);
        assertThat(ListedTable.all(listing)).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void entryThatIsNoEntityOfThisJournal_isPassedOver() {
        ListedTable listed = ListedTable.create(client, table, PID_INDEX);
        listed.putFirstEvents("journal", List.of("x"));
        Map<String, AttributeValue> foreign = new HashMap<>(ListedTable.event("other", "y", 1, ""));
        foreign.put("pid_bucket", AttributeValue.fromS(KEYS.bucket("y")));
        listed.put(List.of(foreign));
        assertThat(ListedTable.all(listed.ids("journal", INDEX).list(Optional.empty(), 1)))
                .containsExactly("x");
    }

    @Test
    void missingIndex_isNamedWithWhatToDo() {
        ListedTable listed = ListedTable.create(client, table);
        assertThatThrownBy(() -> listed.list("journal", INDEX))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("Table '" + table + "' has no index 'pid-idx'")
                .hasMessageContaining("persistence-ids.source of dynamodb-read-journal")
                .hasMessageContaining("scan")
                .hasMessageContaining("UpdateTable")
                .hasMessageContaining("docs/guide/tables.md");
        assertThatThrownBy(() -> listed.list("journal", new Source.PredecessorIndex("gone")))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("Table '" + table + "' has no index 'gone'")
                .hasMessageContaining("persistence-ids.source of dynamodb-read-journal");
    }

    @Test
    void indexThatIsStillBeingBuilt_isNamed() {
        ListedTable listed = ListedTable.create(client, table, PID_INDEX);
        proxy.on(
                RequestMatch.operation("Query"),
                Fault.error(
                        400,
                        "com.amazon.coral.validate#ValidationException",
                        "Cannot read from backfilling global secondary index: pid-idx"));
        assertThatThrownBy(() -> listed.list("journal", INDEX))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("'pid-idx'")
                .hasMessageContaining("still being built");
    }

    @Test
    void anotherFailure_isReportedAsItIs_andTheCallCanBeRepeated() {
        ListedTable listed = ListedTable.create(client, table, PID_INDEX);
        listed.putFirstEvents("journal", numbered(30));
        proxy.on(
                RequestMatch.operation("Query").skip(5).times(1),
                Fault.error(400, "AccessDeniedException", "not allowed"));
        Listing listing = listed.ids("journal", INDEX).list(Optional.empty());
        List<String> before = new ArrayList<>();
        assertThatThrownBy(() -> {
                    while (true) {
                        TestStore.await(listing.next()).ifPresent(before::addAll);
                    }
                })
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("not allowed");
        before.addAll(ListedTable.all(listing));
        assertThat(before).containsExactlyInAnyOrderElementsOf(numbered(30));
    }
}
