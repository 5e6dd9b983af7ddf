package io.varve.http;

import java.util.List;
import java.util.Locale;

/** A request as it arrived at the server; each byte of the body is a character. */
record SeenRequest(String method, String target, List<Header> headers, String body) {

    record Header(String name, String value) {}

    List<String> values(String name) {
        return headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Header::value)
                .toList();
    }

    /** Chunks are not understood: the client under test knows the length of its body. */
    long length() {
        return values("content-length").stream()
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }

    static SeenRequest of(String head, String body) {
        String[] lines = head.split("\r\n", -1);
        String[] first = lines[0].split(" ", -1);
        List<Header> headers = List.of(lines).stream()
                .skip(1)
                .filter(line -> !line.isEmpty())
                .map(line -> line.split(":", 2))
                .map(line -> new Header(line[0], line[1].strip()))
                .toList();
        return new SeenRequest(first[0].toUpperCase(Locale.ROOT), first[1], headers, body);
    }
}
