package io.varve.store.internal.snapshot;

import io.varve.store.ItemException;
import io.varve.store.SnapshotException;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.layout.SnapshotKeys;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;

/** The item of a snapshot as it was read. Whatever is wrong with it is said by the method that meets it. */
record SnapshotHead(String persistenceId, Item item) {
    private static final String LEGACY_DATA = "pay";
    /** Serializer of the wrapper in the oldest format. */
    private static final int LEGACY_SERIALIZER = 8;

    private static final long MAX_TIME = Microseconds.toMillis(Item.LAST_TIMESTAMP);

    /** The time of the snapshot. */
    Instant timestamp() {
        return Instant.ofEpochMilli(item.findNumber(SnapshotItems.TIMESTAMP, Long.MIN_VALUE, MAX_TIME)
                .orElse(0));
    }

    boolean isExpired(Instant now) {
        return item.findExpiry().filter(expiry -> !expiry.isAfter(now)).isPresent();
    }

    /** The parts that hold the snapshot's bytes, if they are not in the item itself. */
    Optional<PartSet> parts() {
        if (!item.has(SnapshotItems.PART_KEY)) {
            return Optional.empty();
        }
        String key = item.text(SnapshotItems.PART_KEY);
        if (!SnapshotKeys.isPartKey(key)) {
            throw item.wrong(SnapshotItems.PART_KEY, "cannot be the key of parts");
        }
        return Optional.of(PartSet.of(item, key, sequenceNumber()));
    }

    /** How many bytes its parts have together, if it says so; those of the first form do not. */
    OptionalLong partBytes(PartSet parts) {
        if (parts.form() == 1) {
            return OptionalLong.empty();
        }
        long bytes = item.number(SnapshotItems.PART_BYTES, 1, Long.MAX_VALUE);
        if (bytes < parts.count()) {
            throw item.wrong(SnapshotItems.PART_BYTES, "is " + bytes + ", less than '" + PartSet.PARTS + "'");
        }
        return OptionalLong.of(bytes);
    }

    private long sequenceNumber() {
        return item.number(SnapshotKeys.SEQUENCE_NUMBER, 0, Long.MAX_VALUE);
    }

    /** The snapshot whose bytes, if they are in parts, are given; it may have so many bytes. */
    Snapshot decode(Optional<byte[]> fromParts, int most) {
        if (fromParts.isEmpty() && !item.has(SnapshotItems.DATA)) {
            if (!item.has(LEGACY_DATA)) {
                throw item.wrong(
                        SnapshotItems.DATA,
                        "is missing, and so are '" + LEGACY_DATA + "' and '" + SnapshotItems.PART_KEY
                                + "': it holds no snapshot");
            }
            Payload wrapper = new Payload(item.binary(LEGACY_DATA), LEGACY_SERIALIZER, "");
            return new Snapshot(persistenceId, sequenceNumber(), timestamp(), wrapper, Optional.empty(), true);
        }
        byte[] stored =
                fromParts.orElseGet(() -> item.binary(SnapshotItems.DATA).asByteArrayUnsafe());
        Payload payload = new Payload(
                SdkBytes.fromByteArrayUnsafe(decompress(stored, most)),
                item.serializer(SnapshotItems.SERIALIZER),
                item.findText(SnapshotItems.SERIALIZER_MANIFEST).orElse(""));
        Optional<Payload> metadata = item.findPayload(
                SnapshotItems.METADATA, SnapshotItems.METADATA_SERIALIZER, SnapshotItems.METADATA_SERIALIZER_MANIFEST);
        return new Snapshot(persistenceId, sequenceNumber(), timestamp(), payload, metadata, false);
    }

    private byte[] decompress(byte[] stored, int most) {
        String kind = item.findText(SnapshotItems.COMPRESSION).orElse(Compression.NONE.stored());
        Compression compression = Compression.ofStored(kind)
                .orElseThrow(() -> exception(
                        "is compressed with '" + kind
                                + "', which this version of Varve does not know: update Varve on this node.",
                        null));
        byte[] bytes;
        try {
            bytes = compression.decompress(stored, most + 1);
        } catch (IOException e) {
            throw damaged("its bytes are not " + kind, e);
        }
        if (bytes.length > most) {
            throw tooLarge("it has more than " + most + " bytes");
        }
        return bytes;
    }

    /** An exception for something that is not as it was saved. */
    SnapshotException damaged(String what, @Nullable Throwable cause) {
        return exception("is damaged: " + what + ". Delete it, or set load-older-on-failure = on.", cause);
    }

    /** An exception for something that would take more memory than is allowed. */
    SnapshotException tooLarge(String what) {
        return exception(
                "is not loaded: " + what + ". Raise max-loaded-size, delete it, or set load-older-on-failure = on.",
                null);
    }

    SnapshotException exception(String what, @Nullable Throwable cause) {
        return new SnapshotException("The snapshot " + shownNumber() + " of '" + persistenceId + "' " + what, cause);
    }

    /** The exception of an attribute that is not as it should be, with the snapshot's name. */
    SnapshotException named(ItemException cause) {
        return exception(
                "cannot be read: " + cause.getMessage() + " Delete it, or set load-older-on-failure = on.", cause);
    }

    /** Its sequence number for a message. */
    String shownNumber() {
        return item.shown(SnapshotKeys.SEQUENCE_NUMBER);
    }
}
