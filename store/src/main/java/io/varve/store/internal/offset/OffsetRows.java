package io.varve.store.internal.offset;

import io.varve.store.OffsetWasSetException;
import io.varve.store.Slices;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Microseconds;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;

/**
 * The rows of one projection as items.
 *
 * @param entityType the entity type whose slices these are, if that is known
 * @param first whether this is the first entity type of that projection: the rows of slices of any other have its name in their keys
 */
record OffsetRows(String table, String projection, Optional<String> entityType, boolean first) {
    /** The longest partition key, without a dash and the number of a slice. */
    private static final int LONGEST_NAME = 2048 - 5;

    private static final int LONGEST_SORT_KEY = 1024;

    private static final Pattern SLICE = Pattern.compile("0|[1-9][0-9]{0,3}");

    /** How long a row stays that keeps late writes away. */
    private static final Duration TOMBSTONE = Duration.ofDays(1);

    static final String NAME_SLICE = "name_slice";
    static final String PERSISTENCE_ID = "pid";
    static final String SEQUENCE_NUMBER = "seq_nr";
    static final String TIMESTAMP = "ts";
    static final String SEEN = "seen";
    static final String SET_TO = "set_ts";
    static final String PAUSED = "paused";
    static final String EXPIRY = "expiry";
    static final String EPOCH = "epoch";
    static final String SAVED = "saved";
    static final String ENTITY_TYPE = "type";
    static final String FLOOR = "floor";
    static final String FLOOR_FROM = "floor_from";
    static final String FLOOR_TO = "floor_to";
    static final String PARK_SEQUENCE_NUMBER = "park_seq";
    static final String PARK_TIMESTAMP = "park_ts";
    static final String PARK_EPOCH = "park_epoch";
    static final String PARK_RETRY = "park_retry";
    static final String PARKED_AT = "at";
    static final String REASON = "reason";
    static final String ORDER = "order";

    static final String SLICE_ROW = "_";
    static final String MANAGEMENT_ROW = "_mgmt";
    static final String SET_ROW = "_set";
    static final String TYPE_ROW = "_type";
    static final String EVER_SET_ROW = "_sets";

    private static final Set<String> RESERVED = Set.of(SLICE_ROW, MANAGEMENT_ROW, SET_ROW);

    OffsetRows {
        if (bytes(projection) > LONGEST_NAME) {
            throw new VarveException("The name of a projection has " + bytes(projection)
                    + " bytes in UTF-8, and the offset table takes up to " + LONGEST_NAME + ": '" + projection + "'.");
        }
    }

    OffsetRows of(Optional<String> type, boolean isFirst) {
        return new OffsetRows(table, projection, type, isFirst);
    }

    Map<String, AttributeValue> sliceKey(int slice) {
        return key(partition(slice), ofType(SLICE_ROW));
    }

    Map<String, AttributeValue> managementKey(int slice) {
        return key(partition(slice), ofType(MANAGEMENT_ROW));
    }

    Map<String, AttributeValue> setKey(int slice) {
        return key(partition(slice), ofType(SET_ROW));
    }

    /** The row that says whose the rows without an entity type in their keys are. */
    Map<String, AttributeValue> typeKey() {
        return key(wholePartition(), TYPE_ROW);
    }

    /** That row, if this entity type is known and the first one. */
    Optional<Map<String, AttributeValue>> claim() {
        return entityType.filter(type -> first).map(type -> {
            Map<String, AttributeValue> item = new HashMap<>(typeKey());
            item.put(ENTITY_TYPE, AttributeValue.fromS(type));
            return item;
        });
    }

    /** The row that says whether an offset was ever set by hand. */
    Map<String, AttributeValue> everSetKey() {
        return key(wholePartition(), EVER_SET_ROW);
    }

    /** Not that of a slice, of whatever projection: those end with a number. */
    String wholePartition() {
        return projection + "-all";
    }

    /** The list of parked entities; like that of the whole, it is not that of a slice. */
    String parkedPartition() {
        return projection + "-park";
    }

    Map<String, AttributeValue> parkedKey(String persistenceId) {
        return key(parkedPartition(), persistenceId);
    }

    /** Whether a row belongs to no slice. */
    boolean isOfTheWhole(Item item) {
        return item.text(NAME_SLICE).equals(wholePartition());
    }

    private String ofType(String row) {
        return first ? row : row + "|" + entityType.orElse("");
    }

    Map<String, AttributeValue> entityKey(String persistenceId) {
        if (isReserved(persistenceId)) {
            throw new VarveException("The persistence id '" + persistenceId
                    + "' cannot be projected: the offset table has a row of that name for each slice.");
        }
        if (persistenceId.isEmpty() || bytes(persistenceId) > LONGEST_SORT_KEY) {
            throw new VarveException("The persistence id '" + persistenceId + "' cannot be projected: it has "
                    + bytes(persistenceId) + " bytes in UTF-8, and a row of the offset table can be stored for 1 to "
                    + LONGEST_SORT_KEY + ".");
        }
        return key(partition(Slices.of(persistenceId)), persistenceId);
    }

    private static boolean isReserved(String row) {
        return RESERVED.contains(row) || RESERVED.contains(Slices.entityType(row));
    }

    /** Whether a row is that of an entity whose events this projection processes. */
    boolean isOfEntity(Item item) {
        String row = row(item);
        return !isReserved(row)
                && entityType.map(Slices.entityType(row)::equals).orElse(true);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    String partition(int slice) {
        return projection + "-" + slice;
    }

    private static Map<String, AttributeValue> key(String partition, String row) {
        return Map.of(
                NAME_SLICE, AttributeValue.fromS(partition),
                PERSISTENCE_ID, AttributeValue.fromS(row));
    }

    Map<String, AttributeValue> encode(int slice, SliceOffset place, long epoch) {
        Map<String, AttributeValue> item = new HashMap<>(sliceKey(slice));
        item.put(TIMESTAMP, EventItems.number(place.timestamp()));
        item.put(SEEN, seen(place.seen()));
        item.put(EPOCH, EventItems.number(epoch));
        entityType.ifPresent(type -> item.put(ENTITY_TYPE, AttributeValue.fromS(type)));
        if (place.setTo() > 0) {
            item.put(SET_TO, EventItems.number(place.setTo()));
        }
        return item;
    }

    /** The row of a slice that also says how far its neighbours are processed. */
    Map<String, AttributeValue> encode(int slice, SliceOffset place, long epoch, SliceFloor floor) {
        Map<String, AttributeValue> item = encode(slice, place, epoch);
        item.put(FLOOR, EventItems.number(floor.timestamp()));
        item.put(FLOOR_FROM, EventItems.number(floor.minSlice()));
        item.put(FLOOR_TO, EventItems.number(floor.maxSlice()));
        return item;
    }

    Map<String, AttributeValue> encode(int slice, SetOffset set) {
        Map<String, AttributeValue> item = new HashMap<>(setKey(slice));
        item.put(EPOCH, EventItems.number(set.epoch()));
        item.put(TIMESTAMP, EventItems.number(set.timestamp()));
        item.put(SEEN, seen(set.seen()));
        return item;
    }

    private static AttributeValue seen(Map<String, Long> numbers) {
        Map<String, AttributeValue> seen = new HashMap<>();
        numbers.forEach((persistenceId, number) -> seen.put(persistenceId, EventItems.number(number)));
        return AttributeValue.fromM(seen);
    }

    /** The row of an entity that is saved after the event was processed. It does not count if the offset was set before it was. */
    Map<String, AttributeValue> saved(LastProcessed last, long epoch, Optional<Instant> expiry) {
        Map<String, AttributeValue> item = encode(last, expiry);
        item.put(SAVED, EventItems.number(epoch));
        return item;
    }

    /** The row of an entity whose events are processed in transactions with it. It counts, whenever it was written. */
    Map<String, AttributeValue> fenced(LastProcessed last, long epoch, Optional<Instant> expiry) {
        Map<String, AttributeValue> item = encode(last, expiry);
        if (epoch > 0) {
            item.put(EPOCH, EventItems.number(epoch));
        }
        return item;
    }

    private Map<String, AttributeValue> encode(LastProcessed last, Optional<Instant> expiry) {
        Map<String, AttributeValue> item = new HashMap<>(entityKey(last.persistenceId()));
        item.put(SEQUENCE_NUMBER, EventItems.number(last.sequenceNumber()));
        item.put(TIMESTAMP, EventItems.number(last.timestamp()));
        expiry.ifPresent(time -> item.put(EXPIRY, EventItems.number(time.getEpochSecond())));
        return item;
    }

    /** What takes the place of an entity's row that is forgotten: transactions of a lower epoch cannot bring it back. */
    static Map<String, AttributeValue> tombstone(Item row, long epoch, Instant now) {
        Map<String, AttributeValue> item = new HashMap<>(row.key(NAME_SLICE, PERSISTENCE_ID));
        item.put(EPOCH, EventItems.number(epoch));
        item.put(EXPIRY, EventItems.number(now.plus(TOMBSTONE).getEpochSecond()));
        return item;
    }

    /**
     * A put of a row that only takes effect if no other instance has processed one of these events, and nobody has set the offset since. A
     * row that has expired but is still there is in the way only of events that are not younger than it. Where entities can begin
     * anew, numbers say nothing across two lives, but times do: that of the event by which the new life was noticed, which can be
     * one after those that are stored first.
     */
    Put put(
            Map<String, AttributeValue> row,
            Advance advance,
            long epoch,
            Instant now,
            Optional<Duration> acceptResetAfter) {
        Map<String, AttributeValue> values = new HashMap<>();
        values.put(":epoch", EventItems.number(epoch));
        values.put(":first", EventItems.number(advance.first().sequenceNumber()));
        values.put(":ts", EventItems.number(advance.first().timestamp()));
        values.put(":now", EventItems.number(now.getEpochSecond()));
        String lower = "seq_nr < :first";
        if (acceptResetAfter.isPresent() && advance.first().timestamp() > 0) {
            long anew = advance.cause() - Microseconds.of(acceptResetAfter.get());
            values.put(":anew", EventItems.number(anew));
            lower = "(seq_nr < :first AND ts <= :ts) OR (ts < :anew AND ts < :ts)";
        }
        return Put.builder()
                .tableName(table)
                .item(row)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .conditionExpression("(attribute_not_exists(epoch) OR epoch <= :epoch) AND"
                        + " (attribute_not_exists(seq_nr) OR " + lower + " OR (expiry <= :now AND ts < :ts))")
                .expressionAttributeValues(values)
                .build();
    }

    /** Holds as long as nobody has set the offset of a slice since. */
    ConditionCheck notSetSince(int slice, long epoch) {
        return ConditionCheck.builder()
                .tableName(table)
                .key(setKey(slice))
                .conditionExpression("attribute_not_exists(epoch) OR epoch <= :epoch")
                .expressionAttributeValues(Map.of(":epoch", EventItems.number(epoch)))
                .build();
    }

    /** Somebody has set the offset of these slices. */
    OffsetWasSetException wasSet(Collection<Integer> slices) {
        return new OffsetWasSetException("The offset of projection '" + projection
                + "' was set by hand after this instance had started, in slice "
                + slices.stream().min(Integer::compare).orElseThrow()
                + " at least. Nothing was stored; the instance starts again from there.");
    }

    static int slice(Item item) {
        String partition = item.text(NAME_SLICE);
        String digits = partition.substring(partition.lastIndexOf('-') + 1);
        if (!SLICE.matcher(digits).matches() || Integer.parseInt(digits) >= Slices.NUMBER) {
            throw item.wrong(NAME_SLICE, "does not end with a slice from 0 to " + (Slices.NUMBER - 1));
        }
        return Integer.parseInt(digits);
    }

    static String row(Item item) {
        return item.text(PERSISTENCE_ID);
    }

    static SliceOffset slicePlace(Item item) {
        return new SliceOffset(
                timestamp(item),
                item.sequenceNumbers(SEEN),
                item.findTimestamp(SET_TO).orElse(0));
    }

    /** What the row of a slice says of its neighbours; absent if nothing. */
    static Optional<SliceFloor> floor(Item item) {
        OptionalLong timestamp = item.findTimestamp(FLOOR);
        return timestamp.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new SliceFloor(timestamp.getAsLong(), (int) item.number(FLOOR_FROM, 0, Slices.NUMBER - 1), (int)
                                item.number(FLOOR_TO, 0, Slices.NUMBER - 1)));
    }

    static SetOffset setOffset(Item item) {
        return new SetOffset(epoch(item).orElse(0), timestamp(item), item.sequenceNumbers(SEEN));
    }

    static LastProcessed lastProcessed(Item item) {
        return new LastProcessed(
                row(item), item.findSequenceNumber(SEQUENCE_NUMBER).orElse(0), timestamp(item));
    }

    /** Where an entity is set aside, unless somebody has set the offset since. */
    static Optional<EntityRow.ParkedAt> parkedAt(Item item, SetOffset set) {
        OptionalLong number = item.findSequenceNumber(PARK_SEQUENCE_NUMBER);
        return number.isEmpty() || item.findTimestamp(PARK_EPOCH).orElse(0) < set.epoch()
                ? Optional.empty()
                : Optional.of(new EntityRow.ParkedAt(
                        number.getAsLong(), item.findTimestamp(PARK_TIMESTAMP).orElse(0), item.flag(PARK_RETRY)));
    }

    static long timestamp(Item item) {
        return item.findTimestamp(TIMESTAMP).orElse(0);
    }

    /** The epoch in which a row was written under a condition, or a slice's at any time; absent in rows of older versions. */
    static OptionalLong epoch(Item item) {
        return item.findTimestamp(EPOCH);
    }

    /** The epoch in which a row was saved without a condition. */
    static OptionalLong saved(Item item) {
        return item.findTimestamp(SAVED);
    }

    static boolean isExpired(Item item, Instant now) {
        return item.findExpiry().map(expiry -> !expiry.isAfter(now)).orElse(false);
    }
}
