package io.varve.persistence.internal.health;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Failures without a single success between them: since when, and until when. */
public final class LastingTrouble {
    private final HealthSettings settings;
    private @Nullable Instant first;
    private @Nullable Instant last;

    public LastingTrouble(HealthSettings settings) {
        this.settings = settings;
    }

    /** Something has failed. */
    public synchronized void failed(Instant now) {
        if (first == null || isForgotten(now)) {
            first = now;
        }
        last = now;
    }

    /** Something has worked. */
    public synchronized void worked() {
        first = null;
        last = null;
    }

    /** Whether nothing has worked for long, and that was seen not long ago. */
    public synchronized boolean isLasting(Instant now) {
        return first != null
                && last != null
                && !first.plus(settings.unhealthyAfter()).isAfter(last)
                && !isForgotten(now);
    }

    private boolean isForgotten(Instant now) {
        return last != null && last.plus(settings.forgetAfter()).isBefore(now);
    }
}
