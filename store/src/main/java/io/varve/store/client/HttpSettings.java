package io.varve.store.client;

import io.varve.store.settings.Secret;
import io.varve.store.settings.SettingsReader;
import java.time.Duration;
import java.util.Optional;

/** How the HTTP client connects. */
public record HttpSettings(
        int maxConcurrency,
        int maxPendingAcquires,
        Duration acquireTimeout,
        Duration connectTimeout,
        Duration tlsTimeout,
        Duration readTimeout,
        Duration idleTimeout,
        Optional<Duration> timeToLive,
        boolean tcpKeepAlive,
        Optional<Integer> eventLoopThreads,
        Optional<Proxy> proxy) {

    /** An HTTP proxy on the way to AWS. */
    public record Proxy(String scheme, String host, int port, Optional<String> username, Optional<Secret> password) {}

    static HttpSettings from(SettingsReader section) {
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
                section.integer("max-concurrency", 1, Integer.MAX_VALUE),
                section.integer("max-pending-acquires", 1, Integer.MAX_VALUE),
                section.duration("acquire-timeout"),
                section.duration("connect-timeout"),
                section.duration("tls-timeout"),
                section.duration("read-timeout"),
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
