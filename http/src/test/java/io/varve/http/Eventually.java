package io.varve.http;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what is about to happen. */
final class Eventually {
    private Eventually() {}

    static void until(Callable<Boolean> condition) {
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(condition);
    }
}
