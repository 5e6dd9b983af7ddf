package io.varve.store.internal.snapshot;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.SnapshotKeys;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Writes and reads the parts of snapshots that are too large for one item. {@link PartList} keeps the books of them. */
record Parts(int partSize, int parallelism) {
    private static final String DATA = "data";
    private static final String LENGTH = "len";
    private static final String CHECKSUM = "crc";
    private static final long MAX_CHECKSUM = 0xFFFF_FFFFL;
    /** How many parts one request fetches: some megabytes, which a request has time enough for. */
    private static final int FETCHED_AT_ONCE = 12;

    /** What was found of a set: the bytes if nothing is missing. */
    static final class Loaded {
        private final byte[] bytes;
        private final int missing;

        private Loaded(byte[] bytes, int missing) {
            this.bytes = bytes;
            this.missing = missing;
        }

        byte[] bytes() {
            return bytes;
        }

        int missing() {
            return missing;
        }
    }

    /** How many parts so many bytes make. */
    int count(int bytes) {
        return (bytes + partSize - 1) / partSize;
    }

    /** Writes all parts of a set, a few at once. */
    CompletionStage<Void> write(SnapshotRequests requests, PartSet set, byte[] bytes) {
        List<Integer> indexes = IntStream.range(0, set.count()).boxed().toList();
        return Concurrently.run(indexes, parallelism, index -> requests.put(part(set, index, bytes)));
    }

    Map<String, AttributeValue> part(PartSet set, int index, byte[] bytes) {
        int from = index * partSize;
        int length = Math.min(partSize, bytes.length - from);
        Map<String, AttributeValue> part = new HashMap<>(set.key(index));
        part.put(DATA, AttributeValue.fromB(SdkBytes.fromByteBuffer(ByteBuffer.wrap(bytes, from, length))));
        part.put(LENGTH, EventItems.number(length));
        part.put(CHECKSUM, EventItems.number(checksum(bytes, from, length)));
        return part;
    }

    /** Fetches a set whose parts have no more than so many bytes; what is beyond is not kept in memory. */
    CompletionStage<Loaded> load(SnapshotRequests requests, SnapshotHead head, PartSet set, long most) {
        Map<Long, byte[]> found = new ConcurrentSkipListMap<>();
        AtomicLong size = new AtomicLong();
        List<Integer> starts = IntStream.iterate(0, start -> start < set.count(), start -> start + FETCHED_AT_ONCE)
                .boxed()
                .toList();
        return Concurrently.run(
                        starts,
                        parallelism,
                        start -> requests.get(set.keys(start, start + FETCHED_AT_ONCE))
                                .thenAccept(items -> items.forEach(attributes -> {
                                    Item item = requests.item(attributes);
                                    byte[] bytes = bytes(item, set.form());
                                    if (size.addAndGet(bytes.length) > most) {
                                        throw head.tooLarge("its parts have more than " + most + " bytes");
                                    }
                                    found.put(item.number(SnapshotKeys.SEQUENCE_NUMBER, 0, set.count() - 1), bytes);
                                })))
                .thenApply(fetched -> found.size() < set.count()
                        ? new Loaded(new byte[0], set.count() - found.size())
                        : new Loaded(join(found, (int) size.get()), 0));
    }

    /** The bytes of a part; one of the first form has nothing to compare them with. */
    static byte[] bytes(Item item, int form) {
        byte[] bytes = item.binary(DATA).asByteArrayUnsafe();
        if (form == 1) {
            return bytes;
        }
        long length = item.number(LENGTH, 0, ItemSize.MAX);
        if (bytes.length != length) {
            throw item.wrong(DATA, "has " + bytes.length + " bytes where '" + LENGTH + "' says " + length);
        }
        if (checksum(bytes, 0, bytes.length) != item.number(CHECKSUM, 0, MAX_CHECKSUM)) {
            throw item.wrong(DATA, "does not match its checksum '" + CHECKSUM + "'");
        }
        return bytes;
    }

    private static byte[] join(Map<Long, byte[]> parts, int size) {
        ByteBuffer joined = ByteBuffer.allocate(size);
        parts.values().forEach(joined::put);
        return joined.array();
    }

    private static long checksum(byte[] bytes, int from, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, from, length);
        return checksum.getValue();
    }
}
