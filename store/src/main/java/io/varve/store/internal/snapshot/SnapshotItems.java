package io.varve.store.internal.snapshot;

import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.SnapshotKeys;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Turns snapshots into items; {@link SnapshotHead} reads them. */
record SnapshotItems(SnapshotKeys keys) {
    static final String TIMESTAMP = "ts";
    static final String DATA = "pay_data";
    static final String SERIALIZER = "ser_id";
    static final String SERIALIZER_MANIFEST = "ser_manifest";
    static final String METADATA = "meta";
    static final String METADATA_SERIALIZER = "meta_ser_id";
    static final String METADATA_SERIALIZER_MANIFEST = "meta_ser_manifest";
    static final String COMPRESSION = "comp";
    /** What the keys of the parts are made of. */
    static final String PART_KEY = "part_key";
    /** How many bytes the parts have together. */
    static final String PART_BYTES = "part_bytes";

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
    static Map<String, AttributeValue> whole(Map<String, AttributeValue> head, byte[] stored) {
        Map<String, AttributeValue> item = new HashMap<>(head);
        item.put(DATA, AttributeValue.fromB(SdkBytes.fromByteArrayUnsafe(stored)));
        return item;
    }

    /** The head item of a snapshot whose bytes are in parts. */
    static Map<String, AttributeValue> inParts(Map<String, AttributeValue> head, PartSet parts, int bytes) {
        Map<String, AttributeValue> item = new HashMap<>(head);
        item.put(PART_KEY, AttributeValue.fromS(parts.key()));
        item.put(PART_BYTES, EventItems.number(bytes));
        parts.describe(item);
        return item;
    }

    private static void putUnlessEmpty(Map<String, AttributeValue> item, String attribute, String value) {
        if (!value.isEmpty()) {
            item.put(attribute, AttributeValue.fromS(value));
        }
    }
}
