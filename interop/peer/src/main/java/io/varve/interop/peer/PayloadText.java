package io.varve.interop.peer;

import java.util.HexFormat;

/** Payloads as the driver's text: a string as it is, a number after {@code int:}, bytes in hexadecimal after {@code bytes:}. */
final class PayloadText {

    private static final String INTEGER = "int:";
    private static final String BYTES = "bytes:";

    private PayloadText() {}

    static Object fromText(String text) {
        if (text.startsWith(INTEGER)) {
            return Integer.valueOf(text.substring(INTEGER.length()));
        } else if (text.startsWith(BYTES)) {
            return HexFormat.of().parseHex(text.substring(BYTES.length()));
        }
        return text;
    }

    static String toText(Object payload) {
        if (payload instanceof byte[] bytes) {
            return BYTES + HexFormat.of().formatHex(bytes);
        }
        return payload instanceof Integer number ? INTEGER + number : payload.toString();
    }
}
