package io.varve.persistence.internal.query;

import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Causes;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a running query does about reads that fail: it tries again, after longer and longer pauses, until too many failed in a row. */
final class Retries {
    private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
    private static final int MOST_DOUBLINGS = 5;

    private final String what;
    private final int maxFailures;
    private final Backoff pauses;
    private int failures;

    /** @param what names what is read, as the end of a sentence that begins with "Reading" */
    Retries(String what, int maxFailures, Duration interval) {
        this.what = what;
        this.maxFailures = maxFailures;
        this.pauses = Backoff.doubled(interval, MOST_DOUBLINGS);
    }

    void succeeded() {
        failures = 0;
    }

    /** The pause before the next attempt; throws what the query fails with if there is none. */
    Duration pauseAfter(Throwable thrown) {
        Throwable cause = Causes.unwrap(thrown);
        boolean passes = cause instanceof StoreException store && store.kind().retryable();
        if (!passes) {
            throw new CompletionException(cause);
        }
        failures++;
        if (failures >= maxFailures) {
            throw new VarveException(
                    "Reading " + what + " failed " + failures + " times in a row (max-failures). The last time: "
                            + cause.getMessage(),
                    cause);
        }
        LOG.warn(
                "Reading {} failed, {} times in a row by now, and will be tried again: {}",
                what,
                failures,
                cause.getMessage());
        return pauses.delay(failures);
    }
}
