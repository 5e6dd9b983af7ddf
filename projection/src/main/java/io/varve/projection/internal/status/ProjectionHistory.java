package io.varve.projection.internal.status;

import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.store.OffsetWasSetException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.pattern.Patterns;

/**
 * Tells the projection that replaces another one which events the other one has processed.
 *
 * <p>As long as the other one is not paused it may yet process an event. So the answer no needs the pause first, and the row of the
 * entity after it: an instance that is paused has stored all it has processed.
 */
public final class ProjectionHistory {
    private final String projection;
    private final OffsetTable table;
    private final Rules rules;
    private final InstantSource clock;
    private final ActorSystem<?> system;
    /** What was last read of each slice, of which only what was set by hand is taken for granted. */
    private final Map<Integer, OffsetTable.Stored> slices = new ConcurrentHashMap<>();

    /**
     * @param patience how long an answer may take
     * @param pause between two questions to the table
     */
    public record Rules(
            Duration patience, Duration pause, Optional<Duration> timeToLive, Optional<Duration> acceptResetAfter) {

        public static Rules of(String projection, StatusSettings status, OffsetStoreSettings offsets) {
            return new Rules(
                    status.patience(), status.pause(), offsets.timeToLive().of(projection), offsets.acceptResetAfter());
        }
    }

    public ProjectionHistory(
            String projection, OffsetTable table, Rules rules, InstantSource clock, ActorSystem<?> system) {
        this.projection = projection;
        this.table = table;
        this.rules = rules;
        this.clock = clock;
        this.system = system;
    }

    /** Whether an event is processed; false only if it never will be, because the projection is paused. */
    public CompletionStage<Boolean> contain(Position event) {
        return contain(event, clock.instant().plus(rules.patience()));
    }

    private CompletionStage<Boolean> contain(Position event, Instant end) {
        OffsetTable.Stored known = slices.get(event.slice());
        CompletionStage<Optional<Boolean>> answer = known == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : isProcessed(event, known)
                        .thenApply(processed -> Optional.of(true).filter(yes -> processed));
        return answer.thenCompose(
                        found -> found.isPresent() ? CompletableFuture.completedFuture(found) : askSlice(event))
                .thenCompose(found ->
                        found.isPresent() ? CompletableFuture.completedFuture(found.get()) : later(event, end));
    }

    /** First whether the slice is paused, then whether the event is processed. */
    private CompletionStage<Optional<Boolean>> askSlice(Position event) {
        return table.read(event.slice(), event.slice()).thenCompose(stored -> {
            slices.put(event.slice(), stored);
            return isProcessed(event, stored)
                    .thenApply(processed ->
                            processed || stored.paused() ? Optional.of(processed) : Optional.<Boolean>empty());
        });
    }

    private CompletionStage<Boolean> isProcessed(Position event, OffsetTable.Stored stored) {
        SliceOffset place = stored.places().getOrDefault(event.slice(), SliceOffset.BEGINNING);
        if (event.timestamp() < place.setTo()) {
            return CompletableFuture.completedFuture(true);
        }
        return table.lastProcessed(List.of(event.persistenceId()), stored.sets())
                .thenApply(last -> Optional.ofNullable(last.get(event.persistenceId()))
                        .map(row -> covers(row, event))
                        .orElseGet(() -> hasExpired(event, place)))
                .exceptionallyCompose(thrown -> Causes.unwrap(thrown) instanceof OffsetWasSetException
                        ? setSince(event)
                        : CompletableFuture.failedFuture(Causes.unwrap(thrown)));
    }

    /** What was set is read again before the next question. */
    private CompletionStage<Boolean> setSince(Position event) {
        slices.remove(event.slice());
        return CompletableFuture.completedFuture(false);
    }

    /** By the numbers; where entities begin anew, an event that is much younger than the row is of another life. */
    private boolean covers(LastProcessed row, Position event) {
        if (rules.acceptResetAfter().isEmpty()) {
            return event.sequenceNumber() <= row.sequenceNumber();
        }
        return event.sequenceNumber() <= row.sequenceNumber()
                ? event.timestamp() - row.timestamp()
                        <= Microseconds.of(rules.acceptResetAfter().get())
                : event.timestamp() < row.timestamp();
    }

    /** Whether the row of the entity can be gone because its time was over. */
    private boolean hasExpired(Position event, SliceOffset place) {
        return rules.timeToLive()
                        .map(time -> event.timestamp()
                                < Microseconds.of(clock.instant().minus(time)))
                        .orElse(false)
                && event.timestamp() < place.timestamp();
    }

    private CompletionStage<Boolean> later(Position event, Instant end) {
        if (!clock.instant().isBefore(end)) {
            return CompletableFuture.failedFuture(new TimeoutException("Projection '" + projection
                    + "' has not processed " + event + ", and is not paused in slice " + event.slice()
                    + ", so that it may yet do so. If it has been replaced, pause it (docs/guide/projection-operations.md);"
                    + " else look why it is behind, or whether its name is right."));
        }
        return Patterns.after(rules.pause(), system, () -> contain(event, end));
    }
}
