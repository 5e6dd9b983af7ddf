package io.varve.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** What a hostile server does with a request; what exactly follows from the seed and the request's number. */
enum Misbehaviour {
    // The answer is whole
    PLAIN(true, (a, c) -> c.send(a.plain())),
    SPLIT(true, (a, c) -> a.inPieces(a.plain(), c)),
    BYTE_BY_BYTE(true, (a, c) -> c.sendByteByByte(a.plain())),
    CHUNKS(true, (a, c) -> c.send(a.chunked("", ""))),
    SPLIT_CHUNKS(true, (a, c) -> a.inPieces(a.chunked("", ""), c)),
    CHUNK_EXTENSIONS(true, (a, c) -> c.send(a.chunked(";name=value", ""))),
    TRAILERS(true, (a, c) -> a.inPieces(a.chunked("", "X-Sum: 17\r\nX-More: yes\r\n"), c)),
    INTERIM(true, (a, c) -> c.send("HTTP/1.1 100 Continue\r\n\r\n" + a.plain())),
    MANY_INTERIM(true, (a, c) -> a.inPieces("HTTP/1.1 102 Wait\r\nX-A: b\r\n\r\n".repeat(5) + a.plain(), c)),
    ERROR_STATUS(true, (a, c) -> c.send(a.head("500 Oops", a.length()) + a.body())),
    CLOSE_ANNOUNCED(true, (a, c) -> c.send(a.head("200 OK\r\nConnection: close", a.length()) + a.body())),
    OLD_VERSION(true, (a, c) -> c.send(a.plain().replace("HTTP/1.1", "HTTP/1.0"))),
    CLOSE_AFTERWARDS(true, (a, c) -> {
        c.send(a.plain());
        c.close();
    }),
    // It is not
    CLOSE_AT_ONCE(false, (a, c) -> c.close()),
    RESET_AT_ONCE(false, (a, c) -> c.reset()),
    CUT_OFF(false, (a, c) -> {
        c.send(a.part(a.plain()));
        c.close();
    }),
    CUT_OFF_BY_RESET(false, (a, c) -> {
        c.send(a.part(a.plain()));
        c.reset();
    }),
    CHUNKS_CUT_OFF(false, (a, c) -> {
        c.send(a.part(a.chunked("", "")));
        c.close();
    }),
    LENGTH_TOO_SMALL(false, (a, c) -> c.send(a.head("200 OK", a.length() - 1) + a.body())),
    LENGTH_TOO_LARGE(false, (a, c) -> {
        c.send(a.head("200 OK", a.length() + 1) + a.body());
        c.close();
    }),
    SECOND_ANSWER(false, (a, c) -> c.send(a.plain() + a.forged())),
    PART_OF_A_SECOND_ANSWER(false, (a, c) -> c.send(a.plain() + a.part(a.forged()))),
    LINE_AFTERWARDS(false, (a, c) -> c.send(a.plain() + "\r\n")),
    SECOND_AFTER_CHUNKS(false, (a, c) -> c.send(a.chunked("", "") + a.part(a.forged()))),
    NO_LENGTH(false, (a, c) -> {
        c.send("HTTP/1.1 200 OK\r\n\r\n" + a.body());
        c.close();
    }),
    NOT_HTTP(false, (a, c) -> c.send("220 mail.example ESMTP ready\r\n\r\n")),
    SOMETHING_BEFORE(false, (a, c) -> c.send("\r\n" + a.plain())),
    TWO_LENGTHS(false, (a, c) -> c.send(a.head("200 OK\r\nContent-Length: 1", a.length()) + a.body())),
    LENGTH_AND_CHUNKS(
            false, (a, c) -> c.send(a.chunked("", "").replace("\r\nTransfer", "\r\nContent-Length: 3\r\nTransfer"))),
    OTHER_ENCODING(false, (a, c) -> c.send(a.chunked("", "").replace(": chunked", ": gzip, chunked"))),
    NO_CHUNK_SIZE(false, (a, c) -> c.send(a.part(a.chunked("", "")).split("\r\n\r\n", 2)[0] + "\r\n\r\nmany\r\n")),
    CHUNK_WITHOUT_END(false, (a, c) -> c.send(Answered.CHUNKED_HEAD + "3\r\nfour\r\n0\r\n\r\n")),
    NEGATIVE_LENGTH(false, (a, c) -> c.send(a.head("200 OK", -1) + a.body())),
    TOO_LONG(false, (a, c) -> c.send(a.head("200 OK", HttpFuzzTest.MOST + 1))),
    ENDLESS_HEAD(false, (a, c) -> c.send("HTTP/1.1 200 OK\r\nX-Long: " + "x".repeat(70_000))),
    OTHER_PROTOCOL(false, (a, c) -> c.send("HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n")),
    NO_STATUS(false, (a, c) -> c.send(a.head("700 Odd", a.length()) + a.body())),
    NO_COLON(false, (a, c) -> c.send(a.head("200 OK\r\nnothing", a.length()) + a.body()));

    private final boolean whole;

    @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
    private final Play play;

    Misbehaviour(boolean whole, Play play) {
        this.whole = whole;
        this.play = play;
    }

    /** Whether the client must not take what it gets for an answer. */
    boolean mustFail() {
        return !whole;
    }

    @FunctionalInterface
    interface Play {
        void on(Answered answer, ScriptedConnection connection) throws IOException;
    }

    /** What happens to the request of this number. */
    static Misbehaviour of(long seed, int number) {
        Random random = new Random(seed * 31 + number);
        random.nextInt();
        // Every second answer is in order, so that connections live long enough to be spoilt.
        return random.nextBoolean() ? PLAIN : values()[random.nextInt(values().length)];
    }

    void play(Answered answer, ScriptedConnection connection) throws IOException {
        play.on(answer, connection);
    }

    /** The true answer to the request of a number, and what can be made of it. */
    static final class Answered {
        static final String CHUNKED_HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

        private final Random random;
        private final int number;
        private final String body;

        Answered(long seed, int number) {
            this.random = new Random(seed * 17 + number);
            this.number = number;
            byte[] bytes = new byte[random.nextInt(400)];
            random.nextBytes(bytes);
            this.body = number + ":" + new String(bytes, StandardCharsets.ISO_8859_1);
        }

        String body() {
            return body;
        }

        int length() {
            return body.length();
        }

        String head(String status, int length) {
            return "HTTP/1.1 " + status + "\r\nX-Number: " + number + "\r\nContent-Length: " + length + "\r\n\r\n";
        }

        String plain() {
            return head("200 OK", length()) + body;
        }

        /** An answer to nobody. */
        String forged() {
            return "HTTP/1.1 200 OK\r\nX-Forged: yes\r\nContent-Length: 6\r\n\r\nforged";
        }

        String chunked(String extension, String trailers) {
            StringBuilder all = new StringBuilder(CHUNKED_HEAD);
            for (int at = 0; at < body.length(); ) {
                int size = Math.min(body.length() - at, 1 + random.nextInt(100));
                all.append(Integer.toHexString(size)).append(extension).append("\r\n");
                all.append(body, at, at + size).append("\r\n");
                at += size;
            }
            return all.append("0\r\n").append(trailers).append("\r\n").toString();
        }

        /** A beginning, which is not all of it. */
        String part(String bytes) {
            return bytes.substring(0, 1 + random.nextInt(bytes.length() - 1));
        }

        void inPieces(String bytes, ScriptedConnection connection) throws IOException {
            for (int at = 0; at < bytes.length(); ) {
                int size = Math.min(bytes.length() - at, 1 + random.nextInt(bytes.length()));
                connection.send(bytes.substring(at, at + size));
                at += size;
            }
        }
    }
}
