package io.varve.simulation;

import io.varve.projection.internal.event.Position;
import java.util.Map;
import java.util.Objects;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** The items that the handler of a projection stores, in a table of its own. */
final class Effects {
    static final String TABLE = "effects";
    private static final long BEGINNING = Node.BEGINNING.getEpochSecond() * 1_000_000;

    private Effects() {}

    static TransactWriteItem put(String instance, Position position) {
        return TransactWriteItem.builder()
                .put(Put.builder()
                        .tableName(TABLE)
                        .item(Map.of(
                                "name_slice", AttributeValue.fromS(position.persistenceId()),
                                "pid", AttributeValue.fromS(Long.toString(position.sequenceNumber())),
                                "ts", AttributeValue.fromN(Long.toString(position.timestamp() - BEGINNING)),
                                "by", AttributeValue.fromS(instance)))
                        .build())
                .build();
    }

    /** Tells that one was stored. */
    static void applied(Map<String, AttributeValue> item, EffectTruth truth, long now) {
        truth.applied(
                text(item, "by").s(),
                text(item, "name_slice").s(),
                Long.parseLong(text(item, "pid").s()),
                Long.parseLong(text(item, "ts").n()),
                now);
    }

    private static AttributeValue text(Map<String, AttributeValue> item, String name) {
        return Objects.requireNonNull(item.get(name));
    }
}
