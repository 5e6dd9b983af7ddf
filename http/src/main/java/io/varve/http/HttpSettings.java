package io.varve.http;

import java.time.Duration;
import java.util.Optional;

/**
 * How the client connects, and how long it waits. Messages name these settings as Varve's configuration does:
 * {@code http.read-timeout} is {@code readTimeout}.
 *
 * @param maxConcurrency the most connections to one server, which is the most requests under way at once
 * @param maxPendingAcquires how many requests may wait for a connection
 * @param acquireTimeout how long they may wait
 * @param connectTimeout how long connecting may take
 * @param tlsTimeout how long the handshake of TLS may take
 * @param readTimeout how long the server may be silent while its answer is due
 * @param answerTimeout how long the whole answer may take after the request was sent
 * @param maxAnswerSize the most bytes of an answer
 * @param idleTimeout how long an unused connection is kept
 * @param timeToLive how long any connection is kept, if that is limited
 * @param keepAddresses how long new connections use the last addresses of a name that no longer resolves; zero for not at all
 * @param tcpKeepAlive whether the system probes unused connections
 * @param eventLoopThreads the threads that serve the connections; where absent, one for each two processors
 */
public record HttpSettings(
        int maxConcurrency,
        int maxPendingAcquires,
        Duration acquireTimeout,
        Duration connectTimeout,
        Duration tlsTimeout,
        Duration readTimeout,
        Duration answerTimeout,
        int maxAnswerSize,
        Duration idleTimeout,
        Optional<Duration> timeToLive,
        Duration keepAddresses,
        boolean tcpKeepAlive,
        Optional<Integer> eventLoopThreads) {

    private static final Duration LONGEST_CONNECT_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE); // Netty's

    /** Fails with an {@link IllegalArgumentException} for a value that cannot be used. */
    public HttpSettings {
        positive("maxConcurrency", maxConcurrency);
        positive("maxPendingAcquires", maxPendingAcquires);
        positive("acquireTimeout", acquireTimeout);
        positive("connectTimeout", connectTimeout);
        positive("tlsTimeout", tlsTimeout);
        positive("readTimeout", readTimeout);
        positive("answerTimeout", answerTimeout);
        positive("maxAnswerSize", maxAnswerSize);
        positive("idleTimeout", idleTimeout);
        timeToLive.ifPresent(time -> positive("timeToLive", time));
        if (keepAddresses.isNegative()) {
            throw new IllegalArgumentException("keepAddresses is " + keepAddresses + ", but must not be negative");
        }
        eventLoopThreads.ifPresent(number -> positive("eventLoopThreads", number));
        if (connectTimeout.compareTo(LONGEST_CONNECT_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "connectTimeout is " + connectTimeout + ", but must be at most " + LONGEST_CONNECT_TIMEOUT);
        }
    }

    private static void positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be at least 1");
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be longer than zero");
        }
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** Settings in the making; what is not set keeps its default. */
    public static final class Builder {
        private int maxConcurrency = 200;
        private int maxPendingAcquires = 10_000;
        private Duration acquireTimeout = Duration.ofSeconds(5);
        private Duration connectTimeout = Duration.ofSeconds(2);
        private Duration tlsTimeout = Duration.ofSeconds(5);
        private Duration readTimeout = Duration.ofSeconds(10);
        private Duration answerTimeout = Duration.ofSeconds(30);
        private int maxAnswerSize = 64 * 1024 * 1024;
        private Duration idleTimeout = Duration.ofSeconds(60);
        private Optional<Duration> timeToLive = Optional.empty();
        private Duration keepAddresses = Duration.ofHours(1);
        private boolean tcpKeepAlive;
        private Optional<Integer> eventLoopThreads = Optional.empty();

        private Builder() {}

        /** The most connections to one server, which is the most requests under way at once. */
        public Builder maxConcurrency(int value) {
            maxConcurrency = value;
            return this;
        }

        /** How many requests may wait for a connection. */
        public Builder maxPendingAcquires(int value) {
            maxPendingAcquires = value;
            return this;
        }

        /** How long requests may wait for a connection. */
        public Builder acquireTimeout(Duration value) {
            acquireTimeout = value;
            return this;
        }

        /** How long connecting may take. */
        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        /** How long the handshake of TLS may take. */
        public Builder tlsTimeout(Duration value) {
            tlsTimeout = value;
            return this;
        }

        /** How long the server may be silent while its answer is due. */
        public Builder readTimeout(Duration value) {
            readTimeout = value;
            return this;
        }

        /** How long the whole answer may take after the request was sent. */
        public Builder answerTimeout(Duration value) {
            answerTimeout = value;
            return this;
        }

        /** The most bytes of an answer. */
        public Builder maxAnswerSize(int value) {
            maxAnswerSize = value;
            return this;
        }

        /** How long an unused connection is kept. */
        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        /** How long any connection is kept; not limited by default. */
        public Builder timeToLive(Duration value) {
            timeToLive = Optional.of(value);
            return this;
        }

        /** How long new connections use the last addresses of a name that no longer resolves; zero for not at all. */
        public Builder keepAddresses(Duration value) {
            keepAddresses = value;
            return this;
        }

        /** Whether the system probes unused connections. */
        public Builder tcpKeepAlive(boolean value) {
            tcpKeepAlive = value;
            return this;
        }

        /** The threads that serve the connections; by default one for each two processors. */
        public Builder eventLoopThreads(int value) {
            eventLoopThreads = Optional.of(value);
            return this;
        }

        /** The settings; fails with an {@link IllegalArgumentException} for a value that cannot be used. */
        public HttpSettings build() {
            return new HttpSettings(
                    maxConcurrency,
                    maxPendingAcquires,
                    acquireTimeout,
                    connectTimeout,
                    tlsTimeout,
                    readTimeout,
                    answerTimeout,
                    maxAnswerSize,
                    idleTimeout,
                    timeToLive,
                    keepAddresses,
                    tcpKeepAlive,
                    eventLoopThreads);
        }
    }
}
