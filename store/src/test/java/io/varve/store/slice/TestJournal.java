package io.varve.store.slice;

import io.varve.store.EventReader;
import io.varve.store.TestStore;
import io.varve.store.layout.JournalKeys;
import io.varve.testkit.FaultProxy;
import java.time.Duration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A journal with a slice index of few shards, written past the fault proxy and read through it, by one clock. */
final class TestJournal implements AutoCloseable {
    static final int SHARDS = 4;

    private final TestClock clock = new TestClock();
    private final DynamoDbAsyncClient direct;
    private final DynamoDbAsyncClient proxied;
    private final String table;

    TestJournal(DynamoDbAsyncClient direct, FaultProxy proxy, String table) {
        this.direct = direct;
        this.proxied = proxy.client();
        this.table = table;
        TestStore.createTable(table);
    }

    TestClock clock() {
        return clock;
    }

    /** A node that writes, whose clock is off by {@code skew}. */
    TestStore writer(Duration skew) {
        return TestStore.on(direct, table)
                .indexed()
                .indexShards(SHARDS)
                .clock(clock.movedBy(skew))
                .build();
    }

    SliceIndex index() {
        return new SliceIndex(TestStore.on(proxied, table).gateway(), table, new JournalKeys("journal"), SHARDS);
    }

    EventReader reader() {
        return TestStore.on(proxied, table)
                .indexed()
                .indexShards(SHARDS)
                .clock(clock)
                .reader();
    }

    @Override
    public void close() {
        proxied.close();
    }
}
