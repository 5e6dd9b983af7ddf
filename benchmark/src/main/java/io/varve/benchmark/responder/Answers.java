package io.varve.benchmark.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/** The answers by operation, as ready-made HTTP responses: every write succeeds, every read finds nothing. */
final class Answers {
    private static final String EMPTY_PAGE = "{\"Items\":[],\"Count\":0,\"ScannedCount\":0}";
    private static final String TABLE = "{\"Table\":{\"TableName\":\"any\",\"TableStatus\":\"ACTIVE\"}}";
    private static final Map<String, String> BODIES = Map.of(
            "PutItem", "{}",
            "UpdateItem", "{}",
            "DeleteItem", "{}",
            "TransactWriteItems", "{}",
            "BatchWriteItem", "{\"UnprocessedItems\":{}}",
            "GetItem", "{}",
            "BatchGetItem", "{\"Responses\":{},\"UnprocessedKeys\":{}}",
            "Query", EMPTY_PAGE,
            "Scan", EMPTY_PAGE,
            "DescribeTable", TABLE);

    private static final String UNKNOWN = "{\"__type\":\"com.amazon.coral.service#UnknownOperationException\","
            + "\"message\":\"The benchmark's responder does not know this operation\"}";

    private final Map<String, ByteBuf> responses = new HashMap<>();
    private ByteBuf unknown = Unpooled.EMPTY_BUFFER;

    /** Answers that carry this time, as DynamoDB's do. Not for concurrent use. */
    Answers(Instant now) {
        date(now);
    }

    /** From now on all answers carry this time. */
    void date(Instant now) {
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC));
        BODIES.forEach((operation, body) -> responses.put(operation, response("200 OK", date, body)));
        unknown = response("400 Bad Request", date, UNKNOWN);
    }

    /** The response to an operation; it can be sent any number of times. */
    ByteBuf to(String operation) {
        return responses.getOrDefault(operation, unknown).duplicate();
    }

    private static ByteBuf response(String status, String date, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        CRC32 sum = new CRC32();
        sum.update(bytes);
        String head = "HTTP/1.1 " + status + "\r\nServer: Server\r\nDate: " + date
                + "\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: "
                + bytes.length + "\r\nx-amzn-RequestId: 00000000-0000-0000-0000-000000000000\r\nx-amz-crc32: "
                + sum.getValue() + "\r\n\r\n";
        return Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer((head + body).getBytes(StandardCharsets.UTF_8)));
    }
}
