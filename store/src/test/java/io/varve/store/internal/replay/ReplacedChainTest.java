package io.varve.store.internal.replay;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.journal.TestStore;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.JournalTable;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * A recovery has read a page with a part of an unfinished chain. Before it has found the tail, another one has given up the chain and
 * written under its numbers: {@code docs/spec/Chain.tla}.
 */
@DynamoDBTest
class ReplacedChainTest {
    private static final String ID = "cart|1";
    private static final String OTHER = "cart|2";
    private static final long FIRST = 6;
    private static final long HEAD = 30;

    private final DynamoDbAsyncClient client;
    private final String name;
    private final Gateway gateway;
    private final JournalTable table;
    private List<Event> stored = List.of();

    ReplacedChainTest(DynamoDbAsyncClient client, TableNames names) {
        this.client = client;
        this.name = names.journal();
        this.gateway = TestStore.on(client, name).gateway();
        this.table =
                new JournalTable(gateway, name, new EventItems(new JournalKeys("journal"), OptionalInt.empty()), 1);
    }

    @BeforeEach
    void store() {
        TestStore.createTable(name);
        TestStore.on(client, name).build().appendSingles(ID, 1, HEAD);
        stored = await(new Groups(table, ID).page(0, 0, gateway.budget())).events();
    }

    @Test
    void partBeforeAGap_isReadAgain() {
        assertThat(replayedWith(before(FIRST), chain(FIRST, 20))).isEqualTo(stored);
    }

    @Test
    void partThatFillsThePage_isReadAgain() {
        assertThat(replayedWith(before(FIRST), chain(FIRST, JournalKeys.GROUP_SIZE - 1)))
                .isEqualTo(stored);
    }

    @Test
    void partWhoseFirstNumberIsTaken_isReadAgain() {
        assertThat(replayedWith(before(FIRST + 1), chain(FIRST + 1, JournalKeys.GROUP_SIZE - 1)))
                .isEqualTo(stored);
    }

    /** The page of the second group is older than that of the first, which holds the beginning of the write that has replaced the chain. */
    @Test
    void partInTheNextGroup_doesNotHideTheWriteThatHasReplacedIt() {
        long last = 112;
        TestStore.on(client, name).build().append(OTHER, 1, 5);
        TestStore.on(client, name).build().append(OTHER, FIRST, last);
        List<Event> beginning =
                await(new Groups(table, OTHER).page(0, 0, gateway.budget())).events();
        FetchedPages fetched = new FetchedPages(
                0,
                Map.of(
                        0L, fetched(0, beginning.subList(0, 5)),
                        1L, fetched(1, chain(OTHER, 100, 102))));
        assertThat(replayed(OTHER, last, fetched).stream().map(Event::sequenceNumber))
                .isEqualTo(LongStream.rangeClosed(1, last).boxed().toList());
    }

    private static CompletionStage<Groups.Page> fetched(long group, List<Event> events) {
        return CompletableFuture.completedFuture(new Groups.Page(group, events, Optional.empty(), Optional.empty()));
    }

    private List<Event> before(long number) {
        return stored.stream().filter(event -> event.sequenceNumber() < number).toList();
    }

    private List<Event> chain(long from, long to) {
        return chain(ID, from, to);
    }

    private List<Event> chain(String persistenceId, long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(number -> new Event(
                        persistenceId,
                        number,
                        TestStore.payload("chain"),
                        "writer",
                        "",
                        Optional.empty(),
                        stored.get(0).tags(),
                        1_000 + number,
                        Optional.of(new Event.Batch((int) (number - FIRST), 250, Optional.of("chain"))),
                        Optional.empty(),
                        false))
                .toList();
    }

    private List<Event> replayedWith(List<Event> begin, List<Event> chain) {
        List<Event> events = new ArrayList<>(begin);
        events.addAll(chain);
        return replayed(ID, HEAD, new FetchedPages(0, Map.of(0L, fetched(0, events))));
    }

    private List<Event> replayed(String persistenceId, long head, FetchedPages fetched) {
        RecoveryStart start = new RecoveryStart(new LastWritten(head, 1), 0, fetched, Instant.EPOCH, List.of());
        List<Event> replayed = new ArrayList<>();
        Replayer replayer =
                new Replayer(table, new TailReader(table, false, InstantSource.system()), 4, InstantSource.system());
        await(replayer.replay(
                new Replayer.Range(persistenceId, 1, head, Long.MAX_VALUE),
                start,
                handed -> CompletableFuture.completedFuture(replayed.addAll(handed)),
                gateway.budget()));
        return replayed;
    }
}
