package io.varve.persistence.internal.query;

import java.time.Duration;
import java.util.Optional;
import org.apache.pekko.persistence.query.Offset;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a source of events by slices reads, whoever made it. It is given to the source as its offset; the query that it
 * reaches answers it, and brings no events.
 */
public final class SliceSourceProbe extends Offset {
    private volatile @Nullable Answer answer;

    /**
     * What a query reads: the events of an entity type, of so many slices together in the order of time, and from how long before
     * its offset on.
     */
    public record Answer(String entityType, int slicesPerShard, Duration window) {}

    /** The answer; absent as long as no query has got the probe. */
    public Optional<Answer> answer() {
        return Optional.ofNullable(answer);
    }

    void answer(Answer given) {
        answer = given;
    }
}
