package io.varve.projection.internal.admission;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityTimes;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.progress.Verdict;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.pekko.projection.ProjectionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides about each event that the source brings: duplicates are dropped, and missing events are read from the journal, whose
 * answer is final: a number that it does not hold was rejected, or deleted.
 */
public final class Admission<E> {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final ProjectionId id;
    private final LastProcessedEvents processed;
    private final StreamProgress progress;
    private final EntityTimes journal;
    private final Rules rules;
    private final OutageRetries outages;
    private final Consumer<String> parked;

    /**
     * What the settings say.
     *
     * @param replayMissing whether missing events are read from the journal
     * @param timeToLive how long the rows of entities live, if not for good
     */
    public record Rules(boolean replayMissing, Optional<Duration> timeToLive, InstantSource clock) {}

    public Admission(
            ProjectionId id,
            LastProcessedEvents processed,
            StreamProgress progress,
            EntityTimes journal,
            Rules rules,
            OutageRetries outages) {
        this(id, processed, progress, journal, rules, outages, persistenceId -> {});
    }

    /** @param parked hears of entities that are parked, as their events come */
    public Admission(
            ProjectionId id,
            LastProcessedEvents processed,
            StreamProgress progress,
            EntityTimes journal,
            Rules rules,
            OutageRetries outages,
            Consumer<String> parked) {
        this.id = id;
        this.processed = processed;
        this.progress = progress;
        this.journal = journal;
        this.rules = rules;
        this.outages = outages;
        this.parked = parked;
    }

    /** What is let in of some events, in order; and what the journal has said about others meanwhile. */
    private static final class Batch<E> {
        private final List<InFlight<E>> events;
        private final Map<EventId, Optional<Long>> answers = new HashMap<>();
        private final List<Admitted<E>> admitted = new ArrayList<>();
        private int next;

        Batch(List<InFlight<E>> events) {
            this.events = events;
        }
    }

    /** What of some events is to be processed, and what is missing before them. */
    public CompletionStage<List<Admitted<E>>> admit(List<InFlight<E>> events) {
        Set<String> entities =
                events.stream().map(event -> event.position().persistenceId()).collect(Collectors.toSet());
        Set<String> unloaded = progress.hold(entities);
        CompletionStage<?> loaded = unloaded.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : outages.run(() -> processed.load(unloaded, progress.sets()))
                        .thenAccept(found -> progress.loaded(unloaded, found.last(), found.again(), found.parked()));
        Batch<E> batch = new Batch<>(events);
        return loaded.thenCompose(done -> ask(questions(events), batch))
                .thenCompose(done -> proceed(batch))
                .thenApply(done -> {
                    progress.release(entities);
                    return List.copyOf(batch.admitted);
                });
    }

    /** What has to be asked about the first event of each entity that is not a duplicate: all of it at once. */
    private Set<EventId> questions(List<InFlight<E>> events) {
        Set<String> decided = new HashSet<>();
        Set<EventId> questions = new HashSet<>();
        for (InFlight<E> event : events) {
            Position position = event.position();
            if (!decided.contains(position.persistenceId())) {
                Verdict verdict = judge(position);
                question(verdict, position).ifPresent(questions::add);
                if (!(verdict instanceof Verdict.Duplicate)) {
                    decided.add(position.persistenceId());
                }
            }
        }
        return questions;
    }

    /** The event whose timestamp decides. */
    private static Optional<EventId> question(Verdict verdict, Position position) {
        if (verdict instanceof Verdict.Unknown) {
            return Optional.of(new EventId(position.persistenceId(), position.sequenceNumber() - 1));
        }
        return verdict instanceof Verdict.PerhapsReset perhaps
                ? Optional.of(
                        new EventId(position.persistenceId(), perhaps.last().sequenceNumber()))
                : Optional.empty();
    }

    private CompletionStage<Void> ask(Set<EventId> questions, Batch<E> batch) {
        if (questions.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return outages.run(() -> journal.timestampsOf(questions))
                .thenAccept(found -> questions.forEach(question -> batch.answers.put(
                        question, Optional.ofNullable(found.get(question)).map(Microseconds::of))));
    }

    private CompletionStage<Void> proceed(Batch<E> batch) {
        while (batch.next < batch.events.size()) {
            InFlight<E> event = batch.events.get(batch.next);
            Position position = event.position();
            Verdict verdict = judge(position);
            if (verdict instanceof Verdict.PerhapsReset perhaps
                    && batch.answers.containsKey(question(perhaps, position).orElseThrow())) {
                verdict = question(perhaps, position)
                                .flatMap(batch.answers::get)
                                .filter(timestamp -> timestamp != perhaps.last().timestamp())
                                .isPresent()
                        ? new Verdict.Reset()
                        : replayed(progress.judgeInTheSameLife(position));
            }
            Optional<EventId> question = question(verdict, position);
            if (question.isPresent() && !batch.answers.containsKey(question.get())) {
                return ask(Set.of(question.get()), batch).thenCompose(done -> proceed(batch));
            }
            batch.next++;
            decide(verdict, event, question.flatMap(batch.answers::get), batch);
        }
        return CompletableFuture.completedFuture(null);
    }

    private void decide(Verdict verdict, InFlight<E> event, Optional<Long> before, Batch<E> batch) {
        Position position = event.position();
        if (verdict instanceof Verdict.Next) {
            progress.admit(event);
            batch.admitted.add(new Admitted<>(event, Optional.empty()));
        } else if (verdict instanceof Verdict.Unknown unknown) {
            long floor = floor(position, unknown);
            if (!progress.isAppliedAgain(position.persistenceId()) && isProcessed(before, floor)) {
                admitPassingOver(event);
                batch.admitted.add(new Admitted<>(event, Optional.empty()));
            } else {
                admitPassingOver(event);
                batch.admitted.add(after(unknown.from(), floor, event));
            }
        } else if (verdict instanceof Verdict.Gap gap) {
            progress.admit(event);
            batch.admitted.add(after(gap.from(), 0, event));
        } else if (verdict instanceof Verdict.Reset) {
            LOG.info("{}: '{}' begins anew with {}.", id.id(), position.persistenceId(), position);
            admitPassingOver(event);
            if (position.sequenceNumber() == 1) {
                event.setBeginsAnew();
            }
            batch.admitted.add(
                    position.sequenceNumber() == 1
                            ? new Admitted<>(event, Optional.empty())
                            : after(1, progress.setTo(position.slice()), event, true));
        } else if (verdict instanceof Verdict.Parked) {
            LOG.debug("{}: {} waits, because its entity is parked.", id.id(), position);
            progress.setAside(event);
            parked.accept(position.persistenceId());
        } else {
            LOG.trace("{}: {} is a duplicate.", id.id(), position);
            progress.discard(event);
        }
    }

    private Verdict judge(Position position) {
        return replayed(progress.judge(position));
    }

    /** Where nothing may be read, even a gap is only one if the journal holds the number before. */
    private Verdict replayed(Verdict verdict) {
        return verdict instanceof Verdict.Gap gap && !rules.replayMissing() ? new Verdict.Unknown(gap.from()) : verdict;
    }

    /** Lets an event in; if somebody has set the offset, that may be why those before it count as processed. */
    private void admitPassingOver(InFlight<E> event) {
        if (progress.setTo(event.position().slice()) > 0) {
            progress.admitPassingOver(event);
        } else {
            progress.admit(event);
        }
    }

    private Admitted<E> after(long from, long floor, InFlight<E> event) {
        return after(from, floor, event, false);
    }

    private Admitted<E> after(long from, long floor, InFlight<E> event, boolean anew) {
        Position position = event.position();
        LOG.debug("{}: events from {} on are read from the journal before {}.", id.id(), from, position);
        return new Admitted<>(
                event,
                Optional.of(new Admitted.Missing(
                        position.persistenceId(), from, position.sequenceNumber() - 1, floor, anew)));
    }

    /** What is to be processed of an event that the journal holds and that was missing before one that is let in. */
    public Optional<InFlight<E>> filling(AdaptedEvent<E> stored, Admitted<E> next) {
        if (stored.position().timestamp() < next.missing().orElseThrow().floor()) {
            return Optional.empty();
        }
        Position position = next.event().position();
        if (!rules.replayMissing() && !progress.isAppliedAgain(position.persistenceId())) {
            throw new VarveException(id.id() + ": " + stored.position() + " and perhaps others are missing before "
                    + position + ". The projection starts again from its stored offset"
                    + " (replay-on-rejected-sequence-numbers = off).");
        }
        return Optional.of(next.event().filling(stored));
    }

    /** The timestamp before which events count as processed although no row says so: somebody said it, or their row is gone. */
    private long floor(Position position, Verdict.Unknown unknown) {
        if (progress.isAppliedAgain(position.persistenceId())) {
            return 0;
        }
        long setTo = progress.setTo(position.slice());
        return unknown.from() == 1 && rules.timeToLive().isPresent()
                ? Math.max(
                        setTo,
                        Microseconds.of(
                                rules.clock().instant().minus(rules.timeToLive().get())))
                : setTo;
    }

    /**
     * Whether all events before one count as processed. Timestamps increase within an entity, so that its predecessor decides; if
     * that one is gone, it was deleted with all before it, or it alone was rejected, which only the journal as a whole can tell.
     */
    private boolean isProcessed(Optional<Long> before, long floor) {
        return before.map(timestamp -> timestamp < floor).orElse(!rules.replayMissing() || !journal.skipsHoles());
    }
}
