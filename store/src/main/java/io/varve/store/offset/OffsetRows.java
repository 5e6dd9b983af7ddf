package io.varve.store.offset;

import io.varve.store.VarveException;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.Item;
import io.varve.store.layout.Slices;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;

/** The rows of one projection as items. */
record OffsetRows(String table, String projection) {
    /** The longest partition key, without a dash and the number of a slice. */
    private static final int LONGEST_NAME = 2048 - 5;

    private static final int LONGEST_SORT_KEY = 1024;

    private static final Pattern SLICE = Pattern.compile("0|[1-9][0-9]{0,3}");

    static final String NAME_SLICE = "name_slice";
    static final String PERSISTENCE_ID = "pid";
    static final String SEQUENCE_NUMBER = "seq_nr";
    static final String TIMESTAMP = "ts";
    static final String SEEN = "seen";
    static final String SET_TO = "set_ts";
    static final String PAUSED = "paused";
    static final String EXPIRY = "expiry";

    static final String SLICE_ROW = "_";
    static final String MANAGEMENT_ROW = "_mgmt";

    OffsetRows {
        if (bytes(projection) > LONGEST_NAME) {
            throw new VarveException("The name of a projection has " + bytes(projection)
                    + " bytes in UTF-8, and the offset table takes up to " + LONGEST_NAME + ": '" + projection + "'.");
        }
    }

    Map<String, AttributeValue> sliceKey(int slice) {
        return key(slice, SLICE_ROW);
    }

    Map<String, AttributeValue> managementKey(int slice) {
        return key(slice, MANAGEMENT_ROW);
    }

    Map<String, AttributeValue> entityKey(String persistenceId) {
        if (persistenceId.equals(SLICE_ROW) || persistenceId.equals(MANAGEMENT_ROW)) {
            throw new VarveException("The persistence id '" + persistenceId
                    + "' cannot be projected: the offset table has a row of that name for each slice.");
        }
        if (persistenceId.isEmpty() || bytes(persistenceId) > LONGEST_SORT_KEY) {
            throw new VarveException("The persistence id '" + persistenceId + "' cannot be projected: it has "
                    + bytes(persistenceId) + " bytes in UTF-8, and a row of the offset table can be stored for 1 to "
                    + LONGEST_SORT_KEY + ".");
        }
        return key(Slices.of(persistenceId), persistenceId);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    String partition(int slice) {
        return projection + "-" + slice;
    }

    private Map<String, AttributeValue> key(int slice, String row) {
        return Map.of(
                NAME_SLICE, AttributeValue.fromS(partition(slice)),
                PERSISTENCE_ID, AttributeValue.fromS(row));
    }

    Map<String, AttributeValue> encode(int slice, SlicePlace place) {
        Map<String, AttributeValue> item = new HashMap<>(sliceKey(slice));
        item.put(TIMESTAMP, EventItems.number(place.timestamp()));
        Map<String, AttributeValue> seen = new HashMap<>();
        place.seen().forEach((persistenceId, number) -> seen.put(persistenceId, EventItems.number(number)));
        item.put(SEEN, AttributeValue.fromM(seen));
        if (place.setTo() > 0) {
            item.put(SET_TO, EventItems.number(place.setTo()));
        }
        return item;
    }

    Map<String, AttributeValue> encode(LastProcessed last, Optional<Instant> expiry) {
        Map<String, AttributeValue> item = new HashMap<>(entityKey(last.persistenceId()));
        item.put(SEQUENCE_NUMBER, EventItems.number(last.sequenceNumber()));
        item.put(TIMESTAMP, EventItems.number(last.timestamp()));
        expiry.ifPresent(time -> item.put(EXPIRY, EventItems.number(time.getEpochSecond())));
        return item;
    }

    /**
     * A put that only takes effect if no other instance has processed one of these events. A row that has expired but is still
     * there is in the way only of events that are not younger than it.
     */
    Put put(Advance advance, Optional<Instant> expiry, Instant now) {
        Put.Builder put = Put.builder()
                .tableName(table)
                .item(encode(advance.last(), expiry))
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
        return advance.replaced()
                .map(replaced -> put.conditionExpression(
                                SEQUENCE_NUMBER + " = :number AND " + TIMESTAMP + " = :timestamp")
                        .expressionAttributeValues(Map.of(
                                ":number", EventItems.number(replaced.sequenceNumber()),
                                ":timestamp", EventItems.number(replaced.timestamp())))
                        .build())
                .orElseGet(() -> put.conditionExpression(
                                "attribute_not_exists(" + SEQUENCE_NUMBER + ") OR " + SEQUENCE_NUMBER + " < :first OR ("
                                        + EXPIRY + " <= :now AND " + TIMESTAMP + " < :timestamp)")
                        .expressionAttributeValues(Map.of(
                                ":first", EventItems.number(advance.first().sequenceNumber()),
                                ":timestamp", EventItems.number(advance.first().timestamp()),
                                ":now", EventItems.number(now.getEpochSecond())))
                        .build());
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

    static SlicePlace slicePlace(Item item) {
        return new SlicePlace(
                timestamp(item),
                item.sequenceNumbers(SEEN),
                item.findTimestamp(SET_TO).orElse(0));
    }

    static LastProcessed lastProcessed(Item item) {
        return new LastProcessed(
                row(item), item.findSequenceNumber(SEQUENCE_NUMBER).orElse(0), timestamp(item));
    }

    static long timestamp(Item item) {
        return item.findTimestamp(TIMESTAMP).orElse(0);
    }

    static boolean isExpired(Item item, Instant now) {
        return item.findExpiry().map(expiry -> !expiry.isAfter(now)).orElse(false);
    }
}
