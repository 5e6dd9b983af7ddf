package io.varve.store.internal.slice;

import java.time.Duration;
import java.util.Optional;

/** The default settings, and what a test wants otherwise. */
final class TestSettings {
    private int pageSize = 100;
    private int parallelism = 16;
    private int maxFailures = 10;
    private int remembered = 200_000;
    private Optional<SliceQuerySettings.Sweep> sweep =
            Optional.of(new SliceQuerySettings.Sweep(Duration.ofMinutes(1), Duration.ofMinutes(10)));

    static TestSettings defaults() {
        return new TestSettings();
    }

    static TestSettings pages(int size) {
        TestSettings settings = new TestSettings();
        settings.pageSize = size;
        return settings;
    }

    TestSettings parallelism(int requests) {
        parallelism = requests;
        return this;
    }

    TestSettings maxFailures(int failures) {
        maxFailures = failures;
        return this;
    }

    TestSettings remembered(int entities) {
        remembered = entities;
        return this;
    }

    TestSettings withoutSweep() {
        sweep = Optional.empty();
        return this;
    }

    SliceQuerySettings get() {
        return new SliceQuerySettings(
                pageSize,
                Duration.ofSeconds(3),
                Duration.ofSeconds(30),
                Duration.ofMillis(100),
                Duration.ofSeconds(10),
                Duration.ofMinutes(2),
                sweep,
                parallelism,
                maxFailures,
                remembered);
    }
}
