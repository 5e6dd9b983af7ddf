package io.varve.store.internal.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;

/** Text in bytes, one for each character; it notices if a character has no place in that. */
final class AsciiText {
    private static final int LAST = 0x7f;

    private byte[] bytes;
    private int length;
    private boolean ascii = true;

    AsciiText(int capacity) {
        bytes = new byte[capacity];
    }

    /** Whether all that was appended could be. */
    boolean isComplete() {
        return ascii;
    }

    AsciiText append(char c) {
        makeRoom(1);
        ascii &= c <= LAST;
        bytes[length++] = (byte) c;
        return this;
    }

    AsciiText append(String text) {
        makeRoom(text.length());
        int all = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            all |= c;
            bytes[length + i] = (byte) c;
        }
        length += text.length();
        ascii &= all <= LAST;
        return this;
    }

    AsciiText appendInLowerCase(String text) {
        int start = length;
        append(text);
        for (int i = start; i < length; i++) {
            if (bytes[i] >= 'A' && bytes[i] <= 'Z') {
                bytes[i] = (byte) (bytes[i] + ('a' - 'A'));
            }
        }
        return this;
    }

    AsciiText append(AsciiText text) {
        makeRoom(text.length);
        System.arraycopy(text.bytes, 0, bytes, length, text.length);
        length += text.length;
        ascii &= text.ascii;
        return this;
    }

    private void makeRoom(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    /** Without white space at both ends, and with one space for all that is between two words. */
    AsciiText appendWords(String text) {
        byte[] from = text.getBytes(StandardCharsets.UTF_8);
        ascii &= from.length == text.length();
        makeRoom(from.length);
        int start = length;
        int at = 0;
        while (at < from.length) {
            int word = at;
            while (at < from.length && !isSpace(from[at])) {
                at++;
            }
            if (at > word) {
                if (length > start) {
                    bytes[length++] = ' ';
                }
                System.arraycopy(from, word, bytes, length, at - word);
                length += at - word;
            }
            at++;
        }
        return this;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    byte[] digest(MessageDigest digest) {
        digest.update(bytes, 0, length);
        return digest.digest();
    }

    byte[] sign(Mac mac) {
        mac.update(bytes, 0, length);
        return mac.doFinal();
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
}
