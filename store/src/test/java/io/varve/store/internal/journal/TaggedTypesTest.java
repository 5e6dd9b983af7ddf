package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.varve.store.TableException;
import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.JournalMeta;
import io.varve.store.internal.table.TaggedTypeRegistry;
import io.varve.store.internal.table.TaggedTypesReader;
import io.varve.testkit.Capacity;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Which entity types have tagged events is in META before the events are in the table. */
@ExtendWith(JournalFixture.Extension.class)
class TaggedTypesTest {
    private static final JournalKeys KEYS = new JournalKeys("journal");

    private final JournalFixture journal;
    private final FaultProxy proxy;
    private final Logger logger = (Logger) LoggerFactory.getLogger(TaggedTypeRegistry.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    TaggedTypesTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    @BeforeEach
    void create() {
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
    }

    @AfterEach
    void close() {
        logger.detachAppender(logged);
        logger.setAdditive(true);
    }

    /** A node that knows META and these entities. */
    private TestStore node(String... persistenceIds) {
        TestStore store = journal.node().indexed().build();
        store.highest("warm-up");
        List.of(persistenceIds).forEach(store::highest);
        proxy.requests().clear();
        return store;
    }

    private static CompletableFuture<List<AppendResult>> appendAsync(
            TestStore store, String persistenceId, long sequenceNumber, String... tags) {
        NewEvent event = new NewEvent(
                sequenceNumber, TestStore.payload("e"), store.writer(), "", Optional.empty(), Set.of(tags));
        return store.appendAsync(persistenceId, new AppendRequest(persistenceId, List.of(event)))
                .toCompletableFuture();
    }

    private static void append(TestStore store, String persistenceId, long sequenceNumber, String... tags) {
        TestStore.await(appendAsync(store, persistenceId, sequenceNumber, tags));
    }

    private List<String> requests() {
        List<String> operations = proxy.requests().operations();
        proxy.requests().clear();
        return operations;
    }

    private Set<String> taggedTypes() {
        return TestStore.await(new TaggedTypesReader(
                        new ListedTable(journal.client(), journal.table()).gateway(), journal.table(), KEYS)
                .taggedTypes());
    }

    private Map<String, AttributeValue> meta() {
        return journal.item(KEYS.metaKey());
    }

    private List<String> members() {
        return Objects.requireNonNull(meta().get("tagged_types")).ss();
    }

    private void putMeta(List<String> members) {
        Map<String, AttributeValue> item = new HashMap<>(new JournalMeta(1, 64).encode(KEYS));
        item.put("tagged_types", AttributeValue.fromSs(members));
        journal.client().putItem(r -> r.tableName(journal.table()).item(item)).join();
    }

    @Test
    void firstTaggedEventOfAType_isOneUpdateMore_andTheNextOnesNone() {
        TestStore store = node("Cart|1", "Cart|2", "Order|1");
        append(store, "Cart|1", 1, "red");
        assertThat(requests()).containsExactly("UpdateItem", "PutItem");
        append(store, "Cart|1", 2, "red", "blue");
        append(store, "Cart|2", 1, "blue");
        assertThat(requests()).containsExactly("PutItem", "PutItem");
        append(store, "Order|1", 1, "blue");
        assertThat(requests()).containsExactly("UpdateItem", "PutItem");
        assertThat(taggedTypes()).containsExactlyInAnyOrder("Cart", "Order");
    }

    @Test
    void update_isOneUnit() {
        TestStore store = node("Cart|1");
        append(store, "Cart|1", 1, "red");
        assertThat(proxy.requests()
                        .where(request -> request.operation().equals("UpdateItem"))
                        .capacity())
                .isEqualTo(new Capacity(1, 0, 0));
    }

    @Test
    void eventsWithoutTags_orWithoutTheSliceIndex_registerNothing() {
        append(node("Cart|1"), "Cart|1", 1);
        assertThat(requests()).containsExactly("PutItem");
        TestStore withoutIndex = journal.node().build();
        withoutIndex.highest("Cart|2");
        proxy.requests().clear();
        append(withoutIndex, "Cart|2", 1, "red");
        assertThat(requests()).containsExactly("PutItem");
        assertThat(meta()).doesNotContainKey("tagged_types");
        assertThat(taggedTypes()).isEmpty();
    }

    @Test
    void oneTaggedEventAmongSeveral_isEnough() {
        TestStore store = node("Cart|1");
        NewEvent plain = store.event(1, "a");
        NewEvent tagged = new NewEvent(2, plain.payload(), store.writer(), "", Optional.empty(), Set.of("red"));
        TestStore.await(store.appendAsync("Cart|1", new AppendRequest("Cart|1", List.of(plain, tagged))));
        assertThat(requests()).containsExactly("UpdateItem", "TransactWriteItems(2)");
        assertThat(taggedTypes()).containsExactly("Cart");
    }

    @Test
    void meta_isTheGoldenItem() {
        TestStore store = node();
        append(store, "Cart|1", 1, "red");
        append(store, "no type", 1, "red");
        assertThat(members()).containsExactlyInAnyOrder("Cart", "|");
        Map<String, AttributeValue> rest = new HashMap<>(meta());
        rest.remove("tagged_types");
        assertThat(rest)
                .isEqualTo(Map.of(
                        "par", AttributeValue.fromS("journal-META"),
                        "num", AttributeValue.fromN("0"),
                        "sequence_shards", AttributeValue.fromN("1"),
                        "index_shards", AttributeValue.fromN("64"),
                        "format", AttributeValue.fromN("1")));
        assertThat(taggedTypes()).containsExactlyInAnyOrder("Cart", "");
    }

    @Test
    void typeThatMetaHoldsAtTheStart_isNotAddedAgain() {
        append(node("Cart|1"), "Cart|1", 1, "red");
        TestStore restarted = node("Cart|1");
        append(restarted, "Cart|1", 2, "red");
        assertThat(requests()).containsExactly("PutItem");
    }

    @Test
    void metaWithoutTheAttribute_isReadAndAddedTo() {
        journal.client()
                .putItem(r -> r.tableName(journal.table()).item(new JournalMeta(1, 64).encode(KEYS)))
                .join();
        assertThat(taggedTypes()).isEmpty();
        append(node("Cart|1"), "Cart|1", 1, "red");
        assertThat(taggedTypes()).containsExactly("Cart");
    }

    @Test
    void raisingTheShards_keepsTheTypes() {
        append(node("Cart|1"), "Cart|1", 1, "red");
        TestStore raised = journal.node().indexed().shards(OptionalInt.of(3)).build();
        raised.highest("Cart|1");
        proxy.requests().clear();
        append(raised, "Cart|1", 2, "red");
        assertThat(requests()).containsExactly("PutItem");
        assertThat(taggedTypes()).containsExactly("Cart");
    }

    @Test
    void answerOfTheUpdateLost_isSentAgain() {
        TestStore store = node("Cart|1");
        proxy.on(RequestMatch.operation("UpdateItem").times(1), Fault.resetAfter());
        append(store, "Cart|1", 1, "red");
        assertThat(requests()).containsExactly("UpdateItem", "UpdateItem", "PutItem");
        assertThat(taggedTypes()).containsExactly("Cart");
    }

    @Test
    void updateThatFails_failsTheWriteBeforeAnythingIsStored_andIsTriedAgain() {
        TestStore store = node("Cart|1");
        proxy.on(
                RequestMatch.operation("UpdateItem").times(1),
                Fault.error(400, "AccessDeniedException", "no right to update"));
        assertThatThrownBy(() -> append(store, "Cart|1", 1, "red"))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("no right to update");
        assertThat(requests()).containsExactly("UpdateItem");
        assertThat(store.recoveredNumbers("Cart|1")).isEmpty();
        proxy.requests().clear();
        append(store, "Cart|1", 1, "red");
        assertThat(requests()).containsExactly("UpdateItem", "PutItem");
    }

    @Test
    void entitiesOfOneTypeAtOnce_shareOneUpdate_andWaitForIt() {
        TestStore store = node("Cart|1", "Cart|2");
        var gate = proxy.hold(RequestMatch.operation("UpdateItem"));
        CompletableFuture<?> one = appendAsync(store, "Cart|1", 1, "red");
        gate.awaitArrivals(1);
        CompletableFuture<?> two = appendAsync(store, "Cart|2", 1, "red");
        assertThat(proxy.requests().operations()).containsExactly("UpdateItem");
        gate.releaseAll();
        TestStore.await(one);
        TestStore.await(two);
        assertThat(requests()).containsExactly("UpdateItem", "PutItem", "PutItem");
    }

    @Test
    void twoNodesAtOnce_bothAdd() {
        TestStore first = node("Cart|1");
        TestStore second = node("Cart|2", "Order|1");
        append(first, "Cart|1", 1, "red");
        append(second, "Cart|2", 1, "red");
        append(second, "Order|1", 1, "red");
        assertThat(taggedTypes()).containsExactlyInAnyOrder("Cart", "Order");
    }

    @Test
    void moreTypesThanMetaTakes_areStoredWithOneWarning_andQueriesFail() {
        putMeta(IntStream.range(0, 1000).mapToObj(i -> "T" + i).toList());
        assertThat(taggedTypes()).hasSize(1000);
        TestStore store = node("T7|1", "new|1", "new|2", "newer|1");
        append(store, "T7|1", 1, "red");
        assertThat(requests()).containsExactly("PutItem");
        append(store, "new|1", 1, "red");
        assertThat(requests()).containsExactly("UpdateItem", "UpdateItem", "PutItem");
        append(store, "new|2", 1, "red");
        append(store, "newer|1", 1, "red");
        assertThat(requests()).containsExactly("PutItem", "PutItem");
        assertThat(members()).hasSize(1001).contains("||").doesNotContain("new", "newer");
        assertThat(logged.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .contains(
                                "journal 'journal'", journal.table(), "1000 entity types", "'new'", "queries by tag"));
        assertThatThrownBy(this::taggedTypes)
                .isInstanceOf(TableException.class)
                .hasMessageContaining("cannot be queried by tag")
                .hasMessageContaining("1000 entity types");
        assertThat(store.recoveredNumbers("new|1")).containsExactly(1L);
    }

    @Test
    void typeThatAnotherNodeAddedLast_isNotLeftOut() {
        putMeta(IntStream.range(0, 999).mapToObj(i -> "T" + i).toList());
        TestStore store = node("last|1");
        append(node("last|2"), "last|2", 1, "red");
        append(store, "last|1", 1, "red");
        assertThat(members()).hasSize(1000).contains("last");
        assertThat(logged.list).isEmpty();
    }

    @Test
    void typeWithALongName_isLeftOut_andOthersAreAddedStill() {
        String type = "x".repeat(257);
        TestStore store = node(type + "|1", "Cart|1");
        append(store, type + "|1", 1, "red");
        append(store, "Cart|1", 1, "red");
        assertThat(requests()).containsExactly("UpdateItem", "PutItem", "UpdateItem", "PutItem");
        assertThat(members()).containsExactlyInAnyOrder("||", "Cart");
        TestStore restarted = node(type + "|1");
        append(restarted, type + "|1", 2, "red");
        assertThat(requests()).containsExactly("PutItem");
        assertThat(logged.list).as("once for each process").hasSize(2);
    }

    @Test
    void metaThatHasGone_isNotReplacedByHalfOfIt() {
        TestStore store = node("Cart|1");
        journal.client()
                .deleteItem(r -> r.tableName(journal.table()).key(KEYS.metaKey()))
                .join();
        assertThatThrownBy(() -> append(store, "Cart|1", 1, "red"))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("META item of the journal 'journal'")
                .hasMessageContaining("Nothing was written");
        assertThat(meta()).isEmpty();
        assertThat(logged.list).isEmpty();
    }

    @Test
    void reading_isOneConsistentGet() {
        proxy.requests().clear();
        taggedTypes();
        assertThat(proxy.requests().requests()).singleElement().satisfies(request -> {
            assertThat(request.operation()).isEqualTo("GetItem");
            assertThat(request.consistentRead()).isTrue();
        });
    }
}
