package io.varve.store.internal.offset;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * How the offsets of a projection are kept.
 *
 * @param entityType the entity type whose events it processes, if that is known
 * @param timeToLive after which time the rows of entities expire
 * @param acceptResetAfter how much younger than the last one an event must be to be the first of a new life of its entity
 */
public record OffsetSettings(
        Supplier<CompletionStage<Optional<String>>> entityType,
        Optional<Duration> timeToLive,
        Optional<Duration> acceptResetAfter) {

    /** Rows of entities that never expire or begin anew, of whatever entity type. */
    public static final OffsetSettings DEFAULT = new OffsetSettings(
            () -> CompletableFuture.completedFuture(Optional.empty()), Optional.empty(), Optional.empty());

    /** When a row expires that is written now. */
    Optional<Instant> expiry(Instant now) {
        return timeToLive.map(now::plus);
    }

    /** The same for an entity type. */
    public OffsetSettings withEntityType(String type) {
        return new OffsetSettings(
                () -> CompletableFuture.completedFuture(Optional.of(type)), timeToLive, acceptResetAfter);
    }

    /** The same with a time to live. */
    public OffsetSettings withTimeToLive(Duration time) {
        return new OffsetSettings(entityType, Optional.of(time), acceptResetAfter);
    }

    /** The same with entities that can begin anew. */
    public OffsetSettings withAcceptResetAfter(Duration time) {
        return new OffsetSettings(entityType, timeToLive, Optional.of(time));
    }
}
