package io.varve.store.internal.client;

import io.varve.http.HttpSettings;
import io.varve.http.VarveAsyncHttpClient;
import io.varve.store.SettingsException;
import io.varve.store.internal.settings.Secret;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import java.util.Optional;

/** Whose HTTP client and signer are under the SDK's client, how it connects, and through which proxy. */
public record TransportSettings(Implementation implementation, HttpSettings http, Optional<Proxy> proxy) {
    private static final long LEAST_ANSWER_SIZE = 1024 * 1024;
    private static final long MOST_ANSWER_SIZE = 1024 * 1024 * 1024;

    /** Whose HTTP client and signer they are. */
    public enum Implementation {
        /** {@link VarveAsyncHttpClient} and {@link RequestSigner}. */
        VARVE,
        /** The SDK's, the HTTP client on Netty. */
        SDK
    }

    /** An HTTP proxy on the way to AWS. */
    public record Proxy(String scheme, String host, int port, Optional<String> username, Optional<Secret> password) {}

    /** Reads a section of the shape of {@code http} in a client's settings, which stands at {@code path}. */
    static TransportSettings from(SettingsReader section, String path) {
        TransportSettings settings = new TransportSettings(
                section.oneOf("implementation", Implementation.class),
                http(section, path),
                proxy(section.section("proxy")));
        section.rejectUnknown();
        return settings;
    }

    private static HttpSettings http(SettingsReader section, String path) {
        HttpSettings.Builder http = HttpSettings.builder()
                .maxConcurrency(section.integer("max-concurrency", 1, Integer.MAX_VALUE))
                .maxPendingAcquires(section.integer("max-pending-acquires", 1, Integer.MAX_VALUE))
                .acquireTimeout(section.duration("acquire-timeout"))
                .connectTimeout(section.duration("connect-timeout"))
                .tlsTimeout(section.duration("tls-timeout"))
                .readTimeout(section.duration("read-timeout"))
                .answerTimeout(section.duration("answer-timeout"))
                .maxAnswerSize(maxAnswerSize(section))
                .idleTimeout(section.duration("idle-timeout"))
                .keepAddresses(section.durationOrOff("keep-addresses").orElse(Duration.ZERO))
                .tcpKeepAlive(section.flag("tcp-keep-alive"));
        section.durationOrOff("time-to-live").ifPresent(http::timeToLive);
        if (!section.isWord("event-loop-threads", "auto")) {
            http.eventLoopThreads(section.integer("event-loop-threads", 1, 1024));
        }
        try {
            return http.build();
        } catch (IllegalArgumentException e) {
            throw new SettingsException(path, String.valueOf(e.getMessage()));
        }
    }

    private static int maxAnswerSize(SettingsReader section) {
        long size = section.bytes("max-answer-size");
        if (size < LEAST_ANSWER_SIZE || size > MOST_ANSWER_SIZE) {
            throw section.invalid("max-answer-size", "is not between 1 MiB, a page of DynamoDB's, and 1 GiB");
        }
        return Math.toIntExact(size);
    }

    private static Optional<Proxy> proxy(SettingsReader section) {
        Optional<String> host = section.optional("host");
        if (host.filter(name -> name.contains("@")).isPresent()) {
            throw section.invalid(
                    "host", "has a user or a password before an @; write them into username and password");
        }
        Proxy proxy = new Proxy(
                section.nonEmpty("scheme"),
                host.orElse(""),
                section.integer("port", 1, 65535),
                section.optional("username"),
                section.optional("password").map(Secret::new));
        section.rejectUnknown();
        return host.map(set -> proxy);
    }
}
