package io.varve.benchmark;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, numbers and texts as JSON, one entry of an outer list a line. */
final class Json {
    private Json() {}

    static String of(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> text(String.valueOf(entry.getKey())) + ": " + of(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof List<?> list) {
            boolean lines = list.stream().anyMatch(element -> element instanceof Map);
            String all = list.stream().map(Json::of).collect(Collectors.joining(lines ? ",\n  " : ", "));
            return lines ? "[\n  " + all + "\n]" : "[" + all + "]";
        }
        if (value instanceof Double number) {
            return Double.isFinite(number) ? decimal(number) : "null";
        }
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return String.valueOf(value);
        }
        return text(value.toString());
    }

    private static String decimal(double number) {
        String text = String.format(Locale.ROOT, "%.4f", number);
        return text.replaceAll("\\.?0+$", "");
    }

    private static String text(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }
}
