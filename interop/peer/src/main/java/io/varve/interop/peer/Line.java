package io.varve.interop.peer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** One line between the tests and the peer: text fields, each in Base64, separated by tabs. */
public final class Line {

    private static final String SEPARATOR = "\t";

    private Line() {}

    /** The fields as a line, without its end. */
    public static String of(List<String> fields) {
        return fields.stream()
                .map(field -> Base64.getEncoder().encodeToString(field.getBytes(StandardCharsets.UTF_8)))
                .collect(Collectors.joining(SEPARATOR));
    }

    /** The fields of a line. */
    public static List<String> parse(String line) {
        return Arrays.stream(line.split(SEPARATOR, -1))
                .map(field -> new String(Base64.getDecoder().decode(field), StandardCharsets.UTF_8))
                .toList();
    }
}
