package io.varve.store.http;

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
        Duration idleTimeout,
        Optional<Duration> timeToLive,
        Optional<TrustManager[]> trust) {
    private static final Duration LONG = Duration.ofSeconds(30);

    Options() {
        this(10, 1000, LONG, LONG, LONG, LONG, LONG, Optional.empty(), Optional.empty());
    }

    Options withConnections(int connections, int pending) {
        return new Options(
                connections,
                pending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
                idleTimeout,
                timeToLive,
                trust);
    }

    private Options withTimeouts(Duration acquire, Duration connect, Duration tls, Duration read, Duration idle) {
        return new Options(maxConnections, maxPending, acquire, connect, tls, read, idle, timeToLive, trust);
    }

    Options withAcquireTimeout(Duration timeout) {
        return withTimeouts(timeout, connectTimeout, tlsTimeout, readTimeout, idleTimeout);
    }

    Options withConnectTimeout(Duration timeout) {
        return withTimeouts(acquireTimeout, timeout, tlsTimeout, readTimeout, idleTimeout);
    }

    Options withTlsTimeout(Duration timeout) {
        return withTimeouts(acquireTimeout, connectTimeout, timeout, readTimeout, idleTimeout);
    }

    Options withReadTimeout(Duration timeout) {
        return withTimeouts(acquireTimeout, connectTimeout, tlsTimeout, timeout, idleTimeout);
    }

    Options withIdleTimeout(Duration timeout) {
        return withTimeouts(acquireTimeout, connectTimeout, tlsTimeout, readTimeout, timeout);
    }

    Options withTimeToLive(Duration time) {
        return new Options(
                maxConnections,
                maxPending,
                acquireTimeout,
                connectTimeout,
                tlsTimeout,
                readTimeout,
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
                idleTimeout,
                timeToLive,
                Optional.of(certificate.trust()));
    }
}
