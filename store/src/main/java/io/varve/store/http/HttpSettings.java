package io.varve.store.http;

import io.varve.store.internal.settings.Secret;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import java.util.Optional;

/** How the HTTP client connects. */
public record HttpSettings(
        Implementation implementation,
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
        boolean tcpKeepAlive,
        Optional<Integer> eventLoopThreads,
        Optional<Proxy> proxy) {

    private static final long LEAST_ANSWER_SIZE = 1024 * 1024;
    private static final long MOST_ANSWER_SIZE = 1024 * 1024 * 1024;

    /** Whose HTTP client it is. */
    public enum Implementation {
        /** {@link HttpTransport}. */
        VARVE,
        /** The SDK's, on Netty. */
        SDK
    }

    /** An HTTP proxy on the way to AWS. */
    public record Proxy(String scheme, String host, int port, Optional<String> username, Optional<Secret> password) {}

    private static int maxAnswerSize(SettingsReader section) {
        long size = section.bytes("max-answer-size");
        if (size < LEAST_ANSWER_SIZE || size > MOST_ANSWER_SIZE) {
            throw section.invalid("max-answer-size", "is not between 1 MiB, a page of DynamoDB's, and 1 GiB");
        }
        return Math.toIntExact(size);
    }

    /** Reads a section of the shape of {@code http} in a client's settings. */
    public static HttpSettings from(SettingsReader section) {
        SettingsReader proxySection = section.section("proxy");
        Optional<String> proxyHost = proxySection.optional("host");
        Proxy proxy = new Proxy(
                proxySection.nonEmpty("scheme"),
                proxyHost.orElse(""),
                proxySection.integer("port", 1, 65535),
                proxySection.optional("username"),
                proxySection.optional("password").map(Secret::new));
        proxySection.rejectUnknown();
        HttpSettings settings = new HttpSettings(
                section.oneOf("implementation", Implementation.class),
                section.integer("max-concurrency", 1, Integer.MAX_VALUE),
                section.integer("max-pending-acquires", 1, Integer.MAX_VALUE),
                section.duration("acquire-timeout"),
                section.duration("connect-timeout"),
                section.duration("tls-timeout"),
                section.duration("read-timeout"),
                section.duration("answer-timeout"),
                maxAnswerSize(section),
                section.duration("idle-timeout"),
                section.durationOrOff("time-to-live"),
                section.flag("tcp-keep-alive"),
                section.isWord("event-loop-threads", "auto")
                        ? Optional.empty()
                        : Optional.of(section.integer("event-loop-threads", 1, 1024)),
                proxyHost.map(host -> proxy));
        section.rejectUnknown();
        return settings;
    }
}
