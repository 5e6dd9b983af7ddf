package io.varve.interop;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items as akka-persistence-dynamodb 1.0.0 to 1.1.1 wrote them, made by hand: the whole PersistentRepr as protobuf in {@code pay}. */
final class LegacyItems {

    private static final int STRING_SERIALIZER = 20;
    private static final int GROUP = 100;

    private LegacyItems() {}

    static Map<String, AttributeValue> event(String persistenceId, long sequenceNumber, String payload) {
        Map<String, AttributeValue> item = new HashMap<>();
        item.put("par", AttributeValue.fromS("journal-P-" + persistenceId + "-" + sequenceNumber / GROUP));
        item.put("num", number(sequenceNumber % GROUP));
        item.put("pay", AttributeValue.fromB(SdkBytes.fromByteArray(repr(persistenceId, sequenceNumber, payload))));
        return item;
    }

    static Map<String, AttributeValue> batchEvent(
            String persistenceId, long sequenceNumber, String payload, long index, long lastIndex) {
        Map<String, AttributeValue> item = event(persistenceId, sequenceNumber, payload);
        item.put("idx", number(index));
        item.put("cnt", number(lastIndex));
        return item;
    }

    static Map<String, AttributeValue> highMark(String persistenceId, long sequenceNumber) {
        long group = sequenceNumber / GROUP;
        return Map.of(
                "par", AttributeValue.fromS("journal-SH-" + persistenceId + "-" + group % 10),
                "num", number(0),
                "seq", number(group * GROUP));
    }

    /** PersistentRepr: payload (serializer id, bytes), sequence number, persistence id, writer. */
    static byte[] repr(String persistenceId, long sequenceNumber, String payload) {
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        inner.write(0x08);
        varint(inner, STRING_SERIALIZER);
        bytes(inner, 0x12, payload.getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream repr = new ByteArrayOutputStream();
        bytes(repr, 0x0a, inner.toByteArray());
        repr.write(0x10);
        varint(repr, sequenceNumber);
        bytes(repr, 0x1a, persistenceId.getBytes(StandardCharsets.UTF_8));
        bytes(repr, 0x6a, "w-uuid".getBytes(StandardCharsets.UTF_8));
        return repr.toByteArray();
    }

    private static void bytes(ByteArrayOutputStream out, int tag, byte[] value) {
        out.write(tag);
        varint(out, value.length);
        out.writeBytes(value);
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        while (rest > 0x7f) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }
}
