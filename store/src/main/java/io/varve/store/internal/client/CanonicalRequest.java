package io.varve.store.internal.client;

import java.security.MessageDigest;
import java.util.List;
import software.amazon.awssdk.http.SdkHttpRequest;

/** A request to "/" in the form in which it is signed. */
final class CanonicalRequest {
    /** What is on the way may change these. They are those that the SDK does not sign either. */
    private static final String[] NOT_SIGNED = {
        "user-agent", "connection", "expect", "transfer-encoding", "x-amzn-trace-id", "x-forwarded-for"
    };

    private final AsciiText text = new AsciiText(1024);
    private final AsciiText names = new AsciiText(192);
    private String lastName = "";
    private boolean inOrder = true;

    CanonicalRequest(SdkHttpRequest.Builder request, String contentHash) {
        text.append(request.method().name()).append("\n/\n\n");
        request.forEachHeader(this::add);
        text.append('\n').append(names).append('\n').append(contentHash);
    }

    private void add(String name, List<String> values) {
        for (String notSigned : NOT_SIGNED) {
            if (notSigned.equalsIgnoreCase(name)) {
                return;
            }
        }
        inOrder &= lastName.compareToIgnoreCase(name) < 0 && !values.isEmpty();
        names.append(lastName.isEmpty() ? "" : ";").appendInLowerCase(name);
        lastName = name;
        text.appendInLowerCase(name);
        char before = ':';
        for (String value : values) {
            text.append(before).appendWords(value);
            before = ',';
        }
        text.append('\n');
    }

    /** Whether it can be signed: all text is ASCII, and the headers came in order, as the SDK's requests have them. */
    boolean isUsual() {
        return inOrder && text.isComplete();
    }

    String signedHeaders() {
        return names.toString();
    }

    byte[] digest(MessageDigest digest) {
        return text.digest(digest);
    }
}
