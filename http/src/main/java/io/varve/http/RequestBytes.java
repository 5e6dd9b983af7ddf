package io.varve.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.List;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

/** A request as it goes over the wire. */
final class RequestBytes {
    private RequestBytes() {}

    static byte[] of(SdkHttpRequest request, List<ByteBuffer> body) {
        int length = body.stream().mapToInt(ByteBuffer::remaining).sum();
        byte[] head = head(request, length).getBytes(ISO_8859_1);
        ByteBuffer all = ByteBuffer.allocate(head.length + length).put(head);
        body.forEach(part -> all.put(part.duplicate()));
        return all.array();
    }

    private static String head(SdkHttpRequest request, int length) {
        if (request.method() == SdkHttpMethod.HEAD) {
            throw new IllegalArgumentException("HEAD is not supported: its answer has a length but no body");
        }
        StringBuilder head = new StringBuilder(1024).append(request.method()).append(' ');
        String path = request.encodedPath();
        head.append(path.isEmpty() ? "/" : checked("path", path));
        request.encodedQueryParameters().ifPresent(query -> head.append('?').append(checked("query", query)));
        head.append(" HTTP/1.1\r\n");
        request.forEachHeader((name, values) -> {
            if (!name.equalsIgnoreCase("Content-Length")) {
                values.forEach(value -> header(head, name, value));
            }
        });
        if (request.firstMatchingHeader("Host").isEmpty()) {
            header(head, "Host", Target.of(request).authority());
        }
        if (length > 0 || request.method() != SdkHttpMethod.GET) {
            header(head, "Content-Length", Integer.toString(length));
        }
        return head.append("\r\n").toString();
    }

    private static void header(StringBuilder head, String name, String value) {
        head.append(checked("header", name))
                .append(": ")
                .append(checked(name, value))
                .append("\r\n");
    }

    /** A line break in a value would begin another header. */
    private static String checked(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
                throw new IllegalArgumentException(
                        "The HTTP request's %s has the character U+%04X, which HTTP does not allow there"
                                .formatted(name, (int) c));
            }
        }
        return value;
    }
}
