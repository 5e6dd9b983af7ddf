package io.varve.store.snapshot;

import io.varve.store.VarveException;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.ItemException;
import io.varve.store.layout.Payload;
import io.varve.store.layout.SnapshotKeys;
import io.varve.store.layout.Tables;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Turns snapshots into items and back. */
record SnapshotItems(SnapshotKeys keys) {
    static final String TIMESTAMP = "ts";
    static final String PART_KEY = "part_key";
    static final String PARTS = "parts";
    private static final String DATA = "pay_data";
    private static final String SERIALIZER = "ser_id";
    private static final String SERIALIZER_MANIFEST = "ser_manifest";
    private static final String METADATA = "meta";
    private static final String METADATA_SERIALIZER = "meta_ser_id";
    private static final String METADATA_SERIALIZER_MANIFEST = "meta_ser_manifest";
    private static final String COMPRESSION = "comp";
    private static final String LEGACY_DATA = "pay";
    /** Serializer of the wrapper in the oldest format. */
    private static final int LEGACY_SERIALIZER = 8;

    /** The head item without the snapshot's bytes. */
    Map<String, AttributeValue> head(Snapshot snapshot, Compression compression) {
        Map<String, AttributeValue> item = new HashMap<>(keys.key(snapshot.persistenceId(), snapshot.sequenceNumber()));
        item.put(TIMESTAMP, EventItems.number(snapshot.timestamp().toEpochMilli()));
        item.put(SERIALIZER, EventItems.number(snapshot.payload().serializerId()));
        putUnlessEmpty(item, SERIALIZER_MANIFEST, snapshot.payload().manifest());
        snapshot.metadata().ifPresent(metadata -> {
            item.put(METADATA, AttributeValue.fromB(metadata.bytes()));
            item.put(METADATA_SERIALIZER, EventItems.number(metadata.serializerId()));
            putUnlessEmpty(item, METADATA_SERIALIZER_MANIFEST, metadata.manifest());
        });
        if (compression != Compression.NONE) {
            item.put(COMPRESSION, AttributeValue.fromS(compression.stored()));
        }
        return item;
    }

    /** The head item with the snapshot's bytes in it. */
    Map<String, AttributeValue> whole(Map<String, AttributeValue> head, byte[] stored) {
        Map<String, AttributeValue> item = new HashMap<>(head);
        item.put(DATA, AttributeValue.fromB(SdkBytes.fromByteArrayUnsafe(stored)));
        return item;
    }

    /** The head item of a snapshot whose bytes are in parts. */
    Map<String, AttributeValue> inParts(Map<String, AttributeValue> head, Parts.Set parts) {
        Map<String, AttributeValue> item = new HashMap<>(head);
        item.put(PART_KEY, AttributeValue.fromS(parts.partition()));
        item.put(PARTS, EventItems.number(parts.count()));
        return item;
    }

    static long sequenceNumber(Map<String, AttributeValue> item) {
        return EventItems.number(item, SnapshotKeys.SEQUENCE_NUMBER).orElseThrow();
    }

    static Instant timestamp(Map<String, AttributeValue> item) {
        return Instant.ofEpochMilli(EventItems.number(item, TIMESTAMP).orElse(0L));
    }

    static boolean isExpired(Map<String, AttributeValue> item, Instant now) {
        return EventItems.number(item, Tables.TIME_TO_LIVE)
                .map(expiry -> !Instant.ofEpochSecond(expiry).isAfter(now))
                .orElse(false);
    }

    /** The parts that hold the snapshot's bytes, if they are not in the item itself. */
    static Optional<Parts.Set> parts(String persistenceId, Map<String, AttributeValue> item) {
        if (!item.containsKey(PART_KEY)) {
            return Optional.empty();
        }
        String partition = text(item, PART_KEY);
        int count = EventItems.number(item, PARTS).orElse(0L).intValue();
        if (partition.isEmpty() || count < 1) {
            throw bad(persistenceId, item, "'" + PART_KEY + "' and '" + PARTS + "' do not name its parts");
        }
        return Optional.of(new Parts.Set(partition, sequenceNumber(item), count));
    }

    /** The snapshot of an item whose bytes, if they are in parts, are given. */
    static Snapshot decode(String persistenceId, Map<String, AttributeValue> item, Optional<byte[]> fromParts) {
        if (fromParts.isEmpty() && !item.containsKey(DATA)) {
            if (!item.containsKey(LEGACY_DATA)) {
                throw bad(persistenceId, item, "it holds no snapshot, neither in '" + DATA + "' nor in parts");
            }
            SdkBytes wrapper = binary(persistenceId, item, LEGACY_DATA);
            return new Snapshot(
                    persistenceId,
                    sequenceNumber(item),
                    timestamp(item),
                    new Payload(wrapper, LEGACY_SERIALIZER, ""),
                    Optional.empty(),
                    true);
        }
        byte[] stored =
                fromParts.orElseGet(() -> binary(persistenceId, item, DATA).asByteArrayUnsafe());
        int serializer = EventItems.number(item, SERIALIZER)
                .orElseThrow(() -> bad(persistenceId, item, "'" + SERIALIZER + "' is missing"))
                .intValue();
        return new Snapshot(
                persistenceId,
                sequenceNumber(item),
                timestamp(item),
                new Payload(
                        SdkBytes.fromByteArrayUnsafe(decompress(persistenceId, item, stored)),
                        serializer,
                        text(item, SERIALIZER_MANIFEST)),
                metadata(item),
                false);
    }

    private static byte[] decompress(String persistenceId, Map<String, AttributeValue> item, byte[] stored) {
        if (!item.containsKey(COMPRESSION)) {
            return stored;
        }
        String kind = text(item, COMPRESSION);
        Compression compression = Compression.ofStored(kind)
                .orElseThrow(() -> new VarveException("The snapshot " + sequenceNumber(item) + " of '" + persistenceId
                        + "' is compressed with '" + kind
                        + "', which this version of Varve does not know: update Varve on this node."));
        try {
            return compression.decompress(stored);
        } catch (UncheckedIOException e) {
            throw new VarveException(
                    "The snapshot " + sequenceNumber(item) + " of '" + persistenceId
                            + "' is damaged: its bytes are not " + kind
                            + ". Delete it, or set load-older-on-failure = on.",
                    e);
        }
    }

    private static SdkBytes binary(String persistenceId, Map<String, AttributeValue> item, String attribute) {
        @Nullable AttributeValue value = item.get(attribute);
        if (value == null || value.b() == null) {
            throw bad(persistenceId, item, "'" + attribute + "' is not binary");
        }
        return value.b();
    }

    private static ItemException bad(String persistenceId, Map<String, AttributeValue> item, String what) {
        return new ItemException("The item of snapshot " + sequenceNumber(item) + " of '" + persistenceId
                + "' is not as it should be: " + what + ". Another program may have written to this table.");
    }

    private static Optional<Payload> metadata(Map<String, AttributeValue> item) {
        @Nullable AttributeValue metadata = item.get(METADATA);
        return metadata == null
                ? Optional.empty()
                : Optional.of(new Payload(
                        metadata.b(),
                        EventItems.number(item, METADATA_SERIALIZER).orElse(0L).intValue(),
                        text(item, METADATA_SERIALIZER_MANIFEST)));
    }

    private static String text(Map<String, AttributeValue> item, String attribute) {
        @Nullable AttributeValue value = item.get(attribute);
        return value == null || value.s() == null ? "" : value.s();
    }

    private static void putUnlessEmpty(Map<String, AttributeValue> item, String attribute, String value) {
        if (!value.isEmpty()) {
            item.put(attribute, AttributeValue.fromS(value));
        }
    }
}
