package io.varve.store.layout;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Turns events into items and back.
 *
 * @param indexShards the number of shards of the slice index; empty if events stay out of it
 */
public record EventItems(JournalKeys keys, OptionalInt indexShards) {
    /** Serializer of the whole representation in the oldest format. */
    private static final int LEGACY_SERIALIZER = 7;

    /** The item of an event. */
    public Map<String, AttributeValue> encode(Event event) {
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
        indexShards.ifPresent(shards ->
                item.put(Attributes.SHARD, AttributeValue.fromS(keys.indexShard(event.persistenceId(), shards))));
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
    public static Event decode(String persistenceId, long group, Map<String, AttributeValue> item) {
        long sequenceNumber = JournalKeys.groupStart(group) + required(item, Attributes.NUMBER, group);
        AttributeValue event = item.get(Attributes.EVENT);
        AttributeValue legacy = item.get(Attributes.LEGACY_EVENT);
        Payload payload;
        if (event != null) {
            payload = new Payload(
                    event.b(),
                    (int) required(item, Attributes.EVENT_SERIALIZER, group),
                    text(item, Attributes.EVENT_SERIALIZER_MANIFEST));
        } else if (legacy != null) {
            payload = new Payload(legacy.b(), LEGACY_SERIALIZER, "");
        } else {
            throw new ItemException("The item of event " + sequenceNumber + " of '" + persistenceId
                    + "' holds no event: neither '" + Attributes.EVENT + "' nor '" + Attributes.LEGACY_EVENT
                    + "' is there. Another program may have written to this table.");
        }
        return new Event(
                persistenceId,
                sequenceNumber,
                payload,
                text(item, Attributes.WRITER),
                text(item, Attributes.MANIFEST),
                metadata(item),
                tags(item),
                number(item, Attributes.TIMESTAMP).orElse(0L),
                batch(item),
                number(item, Attributes.EXPIRY).map(Instant::ofEpochSecond),
                event == null);
    }

    private static Optional<Event.Batch> batch(Map<String, AttributeValue> item) {
        Optional<Long> index = number(item, Attributes.BATCH_INDEX);
        Optional<Long> last = number(item, Attributes.BATCH_LAST_INDEX);
        return index.isPresent() && last.isPresent()
                ? Optional.of(new Event.Batch(
                        index.get().intValue(),
                        last.get().intValue(),
                        Optional.ofNullable(item.get(Attributes.BATCH)).map(AttributeValue::s)))
                : Optional.empty();
    }

    private static Optional<Payload> metadata(Map<String, AttributeValue> item) {
        AttributeValue metadata = item.get(Attributes.METADATA);
        return metadata == null
                ? Optional.empty()
                : Optional.of(new Payload(
                        metadata.b(),
                        number(item, Attributes.METADATA_SERIALIZER).orElse(0L).intValue(),
                        text(item, Attributes.METADATA_SERIALIZER_MANIFEST)));
    }

    private static Set<String> tags(Map<String, AttributeValue> item) {
        AttributeValue tags = item.get(Attributes.TAGS);
        return tags == null ? Set.of() : Set.copyOf(tags.ss());
    }

    private static long required(Map<String, AttributeValue> item, String attribute, long group) {
        return number(item, attribute)
                .orElseThrow(() -> new ItemException("An item of group " + group + " lacks the attribute '" + attribute
                        + "'. Another program may have written to this table."));
    }

    /** The number in an attribute, if it is there. */
    public static Optional<Long> number(Map<String, AttributeValue> item, String attribute) {
        @Nullable AttributeValue value = item.get(attribute);
        return value == null || value.n() == null ? Optional.empty() : Optional.of(Long.parseLong(value.n()));
    }

    private static String text(Map<String, AttributeValue> item, String attribute) {
        @Nullable AttributeValue value = item.get(attribute);
        return value == null || value.s() == null ? "" : value.s();
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
