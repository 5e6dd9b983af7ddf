package io.varve.http;

import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.TrustManager;

/** The settings of the client under test; by default none of its limits are reached. */
record Options(
        int maxConnections,
        int maxPending,
        Duration acquireTimeout,
        Duration connectTimeout,
        Duration tlsTimeout,
        Duration readTimeout,
        Duration answerTimeout,
        int maxAnswerSize,
        Duration idleTimeout,
        Optional<Duration> timeToLive,
        Optional<TrustManager[]> trust) {
    private static final Duration LONG = Duration.ofSeconds(30);

    Options() {
        this(10, 1000, LONG, LONG, LONG, LONG, LONG, 64 * 1024 * 1024, LONG, Optional.empty(), Optional.empty());
    }

    Options withConnections(int connections, int pending) {
        return new Options(
                connections,
                pending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                answerTimeout,
                maxAnswerSize,
                idleTimeout,
                timeToLive,
                trust);
    }

    Options withAcquireTimeout(Duration timeout) {
        return new Options(
                maxConnections,
                maxPending,
                timeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                answerTimeout,
                maxAnswerSize,
                idleTimeout,
                timeToLive,
                trust);
    }

    Options withConnectTimeout(Duration timeout) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                timeout,
                tlsTimeout,
                readTimeout,
                answerTimeout,
                maxAnswerSize,
                idleTimeout,
                timeToLive,
                trust);
    }

    Options withTlsTimeout(Duration timeout) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                timeout,
                readTimeout,
                answerTimeout,
                maxAnswerSize,
                idleTimeout,
                timeToLive,
                trust);
    }

    Options withReadTimeout(Duration timeout) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                timeout,
                answerTimeout,
                maxAnswerSize,
                idleTimeout,
                timeToLive,
                trust);
    }

    Options withAnswerTimeout(Duration timeout) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                timeout,
                maxAnswerSize,
                idleTimeout,
                timeToLive,
                trust);
    }

    Options withIdleTimeout(Duration timeout) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                answerTimeout,
                maxAnswerSize,
                timeout,
                timeToLive,
                trust);
    }

    Options withMaxAnswerSize(int size) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                answerTimeout,
                size,
                idleTimeout,
                timeToLive,
                trust);
    }

    Options withTimeToLive(Duration time) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                answerTimeout,
                maxAnswerSize,
                idleTimeout,
                Optional.of(time),
                trust);
    }

    Options withTrust(TestCertificate certificate) throws Exception {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                answerTimeout,
                maxAnswerSize,
                idleTimeout,
                timeToLive,
                Optional.of(certificate.trust()));
    }
}
