package io.varve.testkit.internal.http;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;

/** One HTTP request with its whole body. */
public final class HttpCall {

    private static final String TARGET = "X-Amz-Target";

    private final HttpMethod method;
    private final String uri;
    private final HttpHeaders headers;
    private final byte[] body;

    private HttpCall(HttpMethod method, String uri, HttpHeaders headers, byte[] body) {
        this.method = method;
        this.uri = uri;
        this.headers = headers;
        this.body = body;
    }

    /** The request that came. */
    public static HttpCall of(FullHttpRequest request) {
        return new HttpCall(
                request.method(), request.uri(), request.headers(), ByteBufUtil.getBytes(request.content()));
    }

    /** The whole body. */
    public byte[] body() {
        return body;
    }

    /** DynamoDB's name of the operation, or an empty string for any other request. */
    public String operation() {
        String target = headers.get(TARGET, "");
        return target.substring(target.indexOf('.') + 1);
    }

    /** The same caller sends another body. */
    public HttpCall withBody(byte[] otherBody) {
        return new HttpCall(method, uri, headers, otherBody);
    }

    /** The same caller asks for something else. */
    public HttpCall withOperation(String operation, byte[] otherBody) {
        HttpHeaders changed = new DefaultHttpHeaders().set(headers);
        String target = headers.get(TARGET, "");
        changed.set(TARGET, target.substring(0, target.indexOf('.') + 1) + operation);
        return new HttpCall(method, uri, changed, otherBody);
    }

    /** The request as it is sent on: never compressed, so that the response can be read. */
    FullHttpRequest toNetty() {
        HttpHeaders sent = new DefaultHttpHeaders().set(headers);
        sent.remove(HttpHeaderNames.ACCEPT_ENCODING);
        sent.remove(HttpHeaderNames.TRANSFER_ENCODING);
        sent.remove(HttpHeaderNames.EXPECT);
        sent.remove(HttpHeaderNames.CONNECTION);
        sent.set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        return new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, method, uri, Unpooled.wrappedBuffer(body), sent, EmptyHttpHeaders.INSTANCE);
    }
}
