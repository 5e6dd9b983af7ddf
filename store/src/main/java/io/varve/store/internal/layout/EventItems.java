package io.varve.store.internal.layout;

import io.varve.store.ItemException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Turns events into items and back.
 *
 * @param indexShards the number of shards of the slice index; empty if events stay out of it
 */
public record EventItems(JournalKeys keys, OptionalInt indexShards) {
    /** Serializer of the whole representation in the oldest format. */
    private static final int LEGACY_SERIALIZER = 7;

    /** A placeholder's index in an atomic write of one event: the predecessors drop it as part of an incomplete write. */
    private static final int BEHIND_THE_LAST = 1;

    private static final String NUMBER_OF_KEY =
            "the number of '" + Attributes.PARTITION + "' and '" + Attributes.NUMBER + "', which is ";

    /** The item of an event; what could not be read again is not written. */
    public Map<String, AttributeValue> encode(Event event) {
        if (event.timestamp() > Item.LAST_TIMESTAMP) {
            throw new ItemException("Event " + event.sequenceNumber() + " of '" + event.persistenceId()
                    + "' was not written: its timestamp would be after the year 9999. Timestamps of an entity increase, so"
                    + " the '" + Attributes.TIMESTAMP + "' of its last event or of its low mark is wrong, or this"
                    + " machine's clock: correct it.");
        }
        Map<String, AttributeValue> item = new HashMap<>(keys.eventKey(event.persistenceId(), event.sequenceNumber()));
        item.put(Attributes.PERSISTENCE_ID, AttributeValue.fromS(event.persistenceId()));
        item.put(Attributes.SEQUENCE_NUMBER, number(event.sequenceNumber()));
        item.put(Attributes.EVENT, AttributeValue.fromB(event.payload().bytes()));
        item.put(Attributes.EVENT_SERIALIZER, number(event.payload().serializerId()));
        putUnlessEmpty(
                item, Attributes.EVENT_SERIALIZER_MANIFEST, event.payload().manifest());
        item.put(Attributes.WRITER, AttributeValue.fromS(event.writer()));
        putUnlessEmpty(item, Attributes.MANIFEST, event.manifest());
        event.batch().ifPresent(batch -> {
            item.put(Attributes.BATCH_INDEX, number(batch.index()));
            item.put(Attributes.BATCH_LAST_INDEX, number(batch.lastIndex()));
            batch.id().ifPresent(id -> item.put(Attributes.BATCH, AttributeValue.fromS(id)));
        });
        item.put(Attributes.TIMESTAMP, number(event.timestamp()));
        if (event.placeholder()) {
            item.put(Attributes.PLACEHOLDER, AttributeValue.fromBool(true));
            item.put(Attributes.BATCH_INDEX, number(BEHIND_THE_LAST));
            item.put(Attributes.BATCH_LAST_INDEX, number(0));
        } else {
            indexShards.ifPresent(shards ->
                    item.put(Attributes.SHARD, AttributeValue.fromS(keys.indexShard(event.persistenceId(), shards))));
        }
        if (!event.tags().isEmpty()) {
            item.put(Attributes.TAGS, AttributeValue.fromSs(List.copyOf(new TreeSet<>(event.tags()))));
        }
        event.metadata().ifPresent(metadata -> {
            item.put(Attributes.METADATA, AttributeValue.fromB(metadata.bytes()));
            item.put(Attributes.METADATA_SERIALIZER, number(metadata.serializerId()));
            putUnlessEmpty(item, Attributes.METADATA_SERIALIZER_MANIFEST, metadata.manifest());
        });
        if (event.sequenceNumber() == 1 && JournalKeys.canBeListed(event.persistenceId())) {
            item.put(Attributes.PERSISTENCE_ID_BUCKET, AttributeValue.fromS(keys.bucket(event.persistenceId())));
        }
        event.expiry().ifPresent(expiry -> item.put(Attributes.EXPIRY, number(expiry.getEpochSecond())));
        return item;
    }

    /** The event of an item of that entity and group; the oldest format holds neither the id nor the number itself. */
    public static Event decode(String persistenceId, long group, Item item) {
        long sequenceNumber =
                JournalKeys.groupStart(group) + item.number(Attributes.NUMBER, 0, JournalKeys.GROUP_SIZE - 1);
        OptionalLong stored = item.findSequenceNumber(Attributes.SEQUENCE_NUMBER);
        if (stored.isPresent() && stored.getAsLong() != sequenceNumber) {
            throw item.wrong(Attributes.SEQUENCE_NUMBER, "contradicts " + NUMBER_OF_KEY + sequenceNumber);
        }
        boolean legacy = !item.has(Attributes.EVENT);
        return new Event(
                persistenceId,
                sequenceNumber,
                legacy
                        ? legacy(item)
                        : item.payload(
                                Attributes.EVENT, Attributes.EVENT_SERIALIZER, Attributes.EVENT_SERIALIZER_MANIFEST),
                item.findText(Attributes.WRITER).orElse(""),
                item.findText(Attributes.MANIFEST).orElse(""),
                item.findPayload(
                        Attributes.METADATA, Attributes.METADATA_SERIALIZER, Attributes.METADATA_SERIALIZER_MANIFEST),
                item.texts(Attributes.TAGS),
                item.findTimestamp(Attributes.TIMESTAMP).orElse(0),
                batch(item, sequenceNumber),
                item.findExpiry(),
                legacy,
                item.flag(Attributes.PLACEHOLDER));
    }

    private static Payload legacy(Item item) {
        if (!item.has(Attributes.LEGACY_EVENT)) {
            throw item.wrong(Attributes.EVENT, "is missing, and so is '" + Attributes.LEGACY_EVENT + "'");
        }
        return new Payload(item.binary(Attributes.LEGACY_EVENT), LEGACY_SERIALIZER, "");
    }

    private static Optional<Event.Batch> batch(Item item, long sequenceNumber) {
        boolean alone = !item.has(Attributes.BATCH_INDEX) && !item.has(Attributes.BATCH_LAST_INDEX);
        if (alone || item.flag(Attributes.PLACEHOLDER)) {
            return Optional.empty();
        }
        long last = item.number(Attributes.BATCH_LAST_INDEX, 0, Integer.MAX_VALUE);
        long index = item.number(Attributes.BATCH_INDEX, 0, Integer.MAX_VALUE);
        if (index > last) {
            throw item.wrong(
                    Attributes.BATCH_INDEX, "is " + index + " and '" + Attributes.BATCH_LAST_INDEX + "' only " + last);
        }
        if (index > sequenceNumber) {
            throw item.wrong(Attributes.BATCH_INDEX, "is " + index + ", more than " + NUMBER_OF_KEY + sequenceNumber);
        }
        return Optional.of(new Event.Batch((int) index, (int) last, item.findText(Attributes.BATCH)));
    }

    /** A number as an attribute. */
    public static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }

    private static void putUnlessEmpty(Map<String, AttributeValue> item, String attribute, String value) {
        if (!value.isEmpty()) {
            item.put(attribute, AttributeValue.fromS(value));
        }
    }
}
