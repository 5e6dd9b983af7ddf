package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.KEYS;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.SnapshotException;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Mutations;
import io.varve.store.internal.layout.Payload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Whatever stands in an item of the snapshot table is a value or refused by name. */
class ForeignSnapshotsTest {
    private static final String ID = "Cart|7";
    private static final int MOST = 100_000;
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);
    private static final PartList LIST =
            new PartList("the-table", KEYS, InstantSource.fixed(NOW), Surroundings.OF_THIS_MACHINE);
    private static final PartList.Entry ENTRY = LIST.draw(ID, 7, 3, Duration.ofSeconds(18));

    private static Map<String, AttributeValue> head(Compression compression) {
        Snapshot plain = snapshot(ID, 7, 100);
        Payload metadata = new Payload(SdkBytes.fromUtf8String("about"), 9, "m");
        Map<String, AttributeValue> head = new SnapshotItems(KEYS)
                .head(new Snapshot(ID, 7, NOW, plain.payload(), Optional.of(metadata), false), compression);
        head.put("expiry", AttributeValue.fromN("1700000001"));
        return head;
    }

    /** A load may say of a snapshot that it is damaged or too large; anything else names the attribute. */
    private static void read(Item item) {
        SnapshotHead head = new SnapshotHead(ID, item);
        head.isExpired(NOW);
        try {
            Optional<PartSet> parts = head.parts();
            if (parts.isPresent()) {
                assertThat(parts.get().count()).isBetween(1, PartSet.MAX_PARTS);
                assertThat(head.partBytes(parts.get()).orElse(1)).isPositive();
                parts.get().keys(0, 20).forEach(key -> assertThat(key).hasSize(2));
            }
            Snapshot snapshot = head.decode(parts.map(set -> new byte[10]), MOST);
            assertThat(snapshot.timestamp()).isEqualTo(head.timestamp());
            assertThat(snapshot.payload().bytes().asByteArray()).hasSizeLessThanOrEqualTo(MOST);
        } catch (SnapshotException e) {
            assertThat(e).hasMessageStartingWith("The snapshot ").hasMessageContaining("of 'Cart|7'");
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void snapshotsInOneItem_areAValueOrRefused(Compression compression) {
        byte[] stored = compression.compress("state".repeat(20).getBytes(StandardCharsets.US_ASCII));
        Mutations.check(SnapshotItems.whole(head(compression), stored), ForeignSnapshotsTest::read);
    }

    @Test
    void snapshotsOfTheOldestFormat_areAValueOrRefused() {
        Map<String, AttributeValue> item = new HashMap<>(KEYS.key(ID, 7));
        item.put("ts", AttributeValue.fromN("17"));
        item.put("pay", AttributeValue.fromB(SdkBytes.fromUtf8String("wrapper")));
        Mutations.check(item, ForeignSnapshotsTest::read);
    }

    @Test
    void headsOfSnapshotsInParts_areAValueOrRefused() {
        Mutations.check(SnapshotItems.inParts(head(Compression.NONE), ENTRY.set(), 25), ForeignSnapshotsTest::read);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void parts_areAValueOrRefused(int form) {
        byte[] bytes = snapshot(ID, 7, 25).payload().bytes().asByteArray();
        Mutations.check(
                new Parts(10, 1).part(ENTRY.set(), 1, bytes),
                item -> assertThat(Parts.bytes(item, form)).hasSizeLessThan(10_000));
    }

    @Test
    void entriesInTheListOfParts_areAValueOrRefused() {
        Map<String, AttributeValue> item = LIST.item(ENTRY);
        item.put("doomed", AttributeValue.fromBool(true));
        Mutations.check(item, mutant -> {
            PartList.Entry entry = LIST.read(ID, mutant);
            assertThat(entry.set().count()).isBetween(1, PartSet.MAX_PARTS);
            assertThat(entry.set().sequenceNumber()).isNotNegative();
            assertThat(entry.writingUntil()).isBetween(Instant.EPOCH, Instant.ofEpochMilli(253_402_300_799_999L));
        });
    }
}
