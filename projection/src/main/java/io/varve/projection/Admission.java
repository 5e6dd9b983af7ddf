package io.varve.projection;

import io.varve.projection.Progress.Verdict;
import io.varve.store.VarveException;
import io.varve.store.offset.LastProcessed;
import io.varve.store.offset.OffsetTable;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides about each event that the source brings: duplicates are dropped, and missing events are read from the journal, whose
 * answer is final: a number that it does not hold was rejected, or deleted.
 */
final class Admission<E> {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final String projection;
    private final OffsetTable table;
    private final Progress progress;
    private final EntityEvents<E> journal;
    private final boolean replayMissing;
    private final Optional<Duration> timeToLive;
    private final InstantSource clock;
    private final OutageRetries outages;

    Admission(
            String projection,
            OffsetTable table,
            Progress progress,
            EntityEvents<E> journal,
            boolean replayMissing,
            Optional<Duration> timeToLive,
            InstantSource clock,
            OutageRetries outages) {
        this.projection = projection;
        this.table = table;
        this.progress = progress;
        this.journal = journal;
        this.replayMissing = replayMissing;
        this.timeToLive = timeToLive;
        this.clock = clock;
        this.outages = outages;
    }

    /**
     * An event that was let in.
     *
     * @param replaced if the entity begins anew with it
     * @param cause the timestamp of the event that the source has brought: this one, or the one after a gap
     */
    record Admitted<E>(Stored<E> event, Optional<LastProcessed> replaced, long cause) {}

    /** What of some events is to be processed, with what was missing before them. */
    CompletionStage<Source<Admitted<E>, NotUsed>> admit(List<Stored<E>> events) {
        Set<String> entities =
                events.stream().map(event -> event.position().persistenceId()).collect(Collectors.toSet());
        Set<String> unloaded = progress.hold(entities);
        CompletionStage<?> loaded = unloaded.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : outages.run(() -> table.lastProcessed(unloaded))
                        .thenAccept(found -> progress.loaded(unloaded, found));
        List<Source<Admitted<E>, NotUsed>> parts = new ArrayList<>();
        List<Admitted<E>> run = new ArrayList<>();
        return loaded.thenCompose(done -> next(events, 0, parts, run)).thenApply(done -> {
            progress.release(entities);
            parts.add(Source.from(List.copyOf(run)));
            return parts.size() == 1 ? parts.get(0) : Source.from(parts).flatMapConcat(part -> part);
        });
    }

    private CompletionStage<Void> next(
            List<Stored<E>> events, int first, List<Source<Admitted<E>, NotUsed>> parts, List<Admitted<E>> run) {
        for (int i = first; i < events.size(); i++) {
            Stored<E> event = events.get(i);
            Position position = event.position();
            Verdict verdict = judge(position);
            if (verdict instanceof Verdict.Unknown unknown) {
                int index = i;
                long floor = floor(position, unknown);
                return isProcessed(position, floor).thenCompose(processed -> {
                    if (processed) {
                        admit(event, Optional.empty(), run);
                    } else {
                        admitAfter(unknown.from(), floor, event, Optional.empty(), parts, run);
                    }
                    return next(events, index + 1, parts, run);
                });
            }
            if (verdict instanceof Verdict.Next) {
                admit(event, Optional.empty(), run);
            } else if (verdict instanceof Verdict.Gap gap) {
                admitAfter(gap.from(), 0, event, Optional.empty(), parts, run);
            } else if (verdict instanceof Verdict.Reset reset) {
                LOG.info("{}: '{}' begins anew with {}.", projection, position.persistenceId(), position);
                if (position.sequenceNumber() == 1) {
                    admit(event, Optional.of(reset.replaced()), run);
                } else {
                    admitAfter(1, progress.setTo(position.slice()), event, Optional.of(reset.replaced()), parts, run);
                }
            } else {
                LOG.trace("{}: {} is a duplicate.", projection, position);
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Where nothing may be read, even a gap is only one if the journal holds the number before. */
    private Verdict judge(Position position) {
        Verdict verdict = progress.judge(position);
        return verdict instanceof Verdict.Gap gap && !replayMissing ? new Verdict.Unknown(gap.from()) : verdict;
    }

    private void admit(Stored<E> event, Optional<LastProcessed> replaced, List<Admitted<E>> run) {
        progress.admit(event.position());
        run.add(new Admitted<>(event, replaced, event.position().timestamp()));
    }

    private void admitAfter(
            long from,
            long floor,
            Stored<E> event,
            Optional<LastProcessed> replaced,
            List<Source<Admitted<E>, NotUsed>> parts,
            List<Admitted<E>> run) {
        Position position = event.position();
        LOG.debug("{}: events from {} on are read from the journal before {}.", projection, from, position);
        if (!run.isEmpty()) {
            parts.add(Source.from(List.copyOf(run)));
            run.clear();
        }
        progress.admit(position);
        parts.add(journal.events(position.persistenceId(), from, position.sequenceNumber() - 1)
                .via(Stored.assembling())
                .filter(earlier -> earlier.position().timestamp() >= floor)
                .map(earlier -> allowed(earlier, position))
                .concat(Source.single(event))
                .zipWithIndex()
                .map(pair -> new Admitted<>(
                        pair.first(), pair.second() == 0 ? replaced : Optional.empty(), position.timestamp())));
    }

    private Stored<E> allowed(Stored<E> missing, Position next) {
        if (!replayMissing) {
            throw new VarveException(projection + ": " + missing.position() + " and perhaps others are missing before "
                    + next + ". The projection starts again from its stored offset"
                    + " (replay-on-rejected-sequence-numbers = off).");
        }
        return missing;
    }

    /** The timestamp before which events count as processed although no row says so: somebody said it, or their row is gone. */
    private long floor(Position position, Verdict.Unknown unknown) {
        long setTo = progress.setTo(position.slice());
        return unknown.from() == 1 && timeToLive.isPresent()
                ? Math.max(setTo, Position.micros(clock.instant().minus(timeToLive.get())))
                : setTo;
    }

    /**
     * Whether all events before one count as processed. Timestamps increase within an entity, so that its predecessor decides; if
     * that one is gone, it was deleted with all before it, or it alone was rejected, which only the journal as a whole can tell.
     */
    private CompletionStage<Boolean> isProcessed(Position next, long floor) {
        return outages.run(() -> journal.timestampOf(next.persistenceId(), next.sequenceNumber() - 1))
                .thenApply(before -> before.map(timestamp -> Position.micros(timestamp) < floor)
                        .orElse(!replayMissing || !journal.skipsHoles()));
    }
}
