package io.varve.chaos.node;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * An account with all that ever happened to it: a line for each event, so that a snapshot still proves the events that were deleted.
 *
 * @param history the lines, each ending with a line feed; the number of a line is the sequence number of its event
 * @param digest of all lines; an event names the digest before it, so that one that was stored on another history is found
 */
record AccountState(String history, long events, long balance, String digest) {
    static final AccountState EMPTY = new AccountState("", 0, 0, "");
    private static final int DIGEST_BYTES = 8;

    /** The account with these lines. */
    static AccountState of(String history) {
        return history.lines().reduce(EMPTY, AccountState::afterLine, (first, second) -> second);
    }

    /** What is stored for a line: the line and the digest before it. */
    String event(String line) {
        return line + " " + digest;
    }

    /** The line of a part of an operation. */
    static String line(String operation, int part, int parts, long amount) {
        return operation + (parts == 1 ? "" : "." + part + "." + parts) + "/" + amount;
    }

    AccountState afterEvent(String event) {
        return afterLine(event.substring(0, event.indexOf(' ')));
    }

    AccountState afterLine(String line) {
        long amount = amount(line);
        return new AccountState(history + line + "\n", events + 1, balance + amount, digest(digest + " " + line));
    }

    static long amount(String line) {
        return Long.parseLong(line.substring(line.indexOf('/') + 1));
    }

    /** The number of the first event of an operation, or 0 if it is not in the history. */
    long numberOf(String operation) {
        long number = 1;
        for (String line : (Iterable<String>) history.lines()::iterator) {
            if (line.startsWith(operation + "/") || line.startsWith(operation + ".")) {
                return number;
            }
            number++;
        }
        return 0;
    }

    private static String digest(String text) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(all, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
