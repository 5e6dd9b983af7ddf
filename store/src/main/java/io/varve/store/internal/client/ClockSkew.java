package io.varve.store.internal.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * Compares DynamoDB's clock, and those that gave events their timestamps, with this machine's, and says so when they differ:
 * timestamps of events come from this one.
 */
final class ClockSkew {
    private static final Logger LOG = LoggerFactory.getLogger(ClockSkew.class);
    private static final long CHECK_EVERY = Duration.ofSeconds(10).toNanos();
    private static final long WARN_EVERY = Duration.ofMinutes(10).toNanos();
    /** The header is cut to whole seconds. */
    private static final Duration HEADER_UNIT = Duration.ofSeconds(1);

    private final Optional<Duration> tolerance;
    private final InstantSource clock;
    private final AtomicLong nextCheck = new AtomicLong(System.nanoTime());
    private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());
    private final AtomicLong nextWarningOfEvents = new AtomicLong(System.nanoTime());

    ClockSkew(Optional<Duration> tolerance, InstantSource clock) {
        this.tolerance = tolerance;
        this.clock = clock;
    }

    /**
     * DynamoDB's time is one between that of the request and that of its answer, however long this machine has let that wait.
     *
     * @param response nothing if the client is not one that speaks HTTP, but for example a user's double in a test
     */
    void check(@Nullable SdkHttpResponse response, Duration latency) {
        if (response == null || tolerance.isEmpty() || !due(nextCheck, CHECK_EVERY)) {
            return;
        }
        response.firstMatchingHeader("Date").flatMap(ClockSkew::parse).ifPresent(theirs -> {
            Instant received = clock.instant();
            Duration ahead = Duration.between(theirs.plus(HEADER_UNIT), received.minus(latency));
            Duration behind = Duration.between(received, theirs);
            Duration skew = ahead.compareTo(behind) > 0 ? ahead : behind;
            if (skew.compareTo(tolerance.get()) > 0 && due(nextWarning, WARN_EVERY)) {
                LOG.warn(
                        "This machine's clock is {} s {} DynamoDB's, more than clock-skew-tolerance ({} s) allows."
                                + " Events written here carry such times, and queries by time may deliver them late:"
                                + " synchronize the clock (NTP).",
                        skew.toMillis() / 1000.0,
                        skew.equals(ahead) ? "ahead of" : "behind",
                        tolerance.get().toMillis() / 1000.0);
            }
        });
    }

    void checkEvent(String persistenceId, Instant timestamp, Instant now) {
        Duration ahead = Duration.between(now, timestamp);
        if (tolerance.isPresent() && ahead.compareTo(tolerance.get()) > 0 && due(nextWarningOfEvents, WARN_EVERY)) {
            LOG.warn(
                    "The newest event of '{}' is {} s ahead of this machine's clock, more than clock-skew-tolerance ({} s)"
                            + " allows: the clock of the node that wrote it was ahead, or this one is behind. The entity's next"
                            + " events get times after it, and queries by time deliver them when that time has come:"
                            + " synchronize the clocks (NTP).",
                    persistenceId,
                    ahead.toMillis() / 1000.0,
                    tolerance.get().toMillis() / 1000.0);
        }
    }

    private static boolean due(AtomicLong next, long interval) {
        long now = System.nanoTime();
        long due = next.get();
        return now - due >= 0 && next.compareAndSet(due, now + interval);
    }

    private static Optional<Instant> parse(String header) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(header)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
