package io.varve.testkit.internal.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.varve.testkit.internal.json.LenientJson;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAmount;
import java.util.UUID;

/** One HTTP response with its whole body. */
public final class HttpAnswer {

    private static final String CHECKSUM = "x-amz-crc32";

    private final int status;
    private final HttpHeaders headers;
    private final byte[] body;

    private HttpAnswer(int status, HttpHeaders headers, byte[] body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    static HttpAnswer of(FullHttpResponse response) {
        return new HttpAnswer(response.status().code(), response.headers(), ByteBufUtil.getBytes(response.content()));
    }

    /** An answer of the proxy's own. */
    public static HttpAnswer json(int status, byte[] body) {
        HttpHeaders headers = new DefaultHttpHeaders()
                .set(HttpHeaderNames.CONTENT_TYPE, "application/x-amz-json-1.0")
                .set(HttpHeaderNames.DATE, httpDate(ZonedDateTime.now(ZoneOffset.UTC)))
                .set("x-amzn-RequestId", UUID.randomUUID());
        return new HttpAnswer(status, headers, body);
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** The body, empty if it is no JSON object. */
    public JsonNode json() {
        return LenientJson.parse(body);
    }

    /** DynamoDB's name of the error without its namespace, or an empty string for a success. */
    public String errorCode() {
        if (status < 300) {
            return "";
        }
        String type = LenientJson.text(json(), "__type");
        return type.substring(type.indexOf('#') + 1);
    }

    /** The same answer with another body. */
    public HttpAnswer withJson(Object json) {
        HttpHeaders changed = new DefaultHttpHeaders().set(headers);
        changed.remove(CHECKSUM);
        return new HttpAnswer(status, changed, LenientJson.write(json));
    }

    /** The same answer by another clock. */
    public HttpAnswer withDateMoved(TemporalAmount amount) {
        String date = headers.get(HttpHeaderNames.DATE);
        ZonedDateTime from = date == null
                ? ZonedDateTime.now(ZoneOffset.UTC)
                : ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME);
        HttpHeaders changed = new DefaultHttpHeaders().set(headers);
        changed.set(HttpHeaderNames.DATE, httpDate(from.plus(amount)));
        return new HttpAnswer(status, changed, body);
    }

    /** The response as it is sent. */
    public FullHttpResponse toNetty() {
        HttpHeaders sent = new DefaultHttpHeaders().set(headers);
        sent.remove(HttpHeaderNames.TRANSFER_ENCODING);
        sent.remove(HttpHeaderNames.CONNECTION);
        sent.set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        return new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(status),
                Unpooled.wrappedBuffer(body),
                sent,
                EmptyHttpHeaders.INSTANCE);
    }

    private static String httpDate(ZonedDateTime time) {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(time);
    }
}
