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

    private List<Event> before(long number) {
        return stored.stream().filter(event -> event.sequenceNumber() < number).toList();
    }

    private List<Event> chain(long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(number -> new Event(
                        ID,
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
        Groups.Page page = new Groups.Page(0, events, Optional.empty(), Optional.empty());
        FetchedPages fetched = new FetchedPages(0, Map.of(0L, CompletableFuture.completedFuture(page)));
        RecoveryStart start = new RecoveryStart(new LastWritten(HEAD, 1), 0, fetched, Instant.EPOCH, List.of());
        List<Event> replayed = new ArrayList<>();
        Replayer replayer =
                new Replayer(table, new TailReader(table, false, InstantSource.system()), 4, InstantSource.system());
        await(replayer.replay(
                new Replayer.Range(ID, 1, HEAD, Long.MAX_VALUE),
                start,
                handed -> CompletableFuture.completedFuture(replayed.addAll(handed)),
                gateway.budget()));
        return replayed;
    }
}
