package io.varve.projection.internal.stream;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.ProjectionProgress;
import io.varve.projection.internal.progress.Verdict;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.OffsetTable;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.pf.PFBuilder;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.stream.Graph;
import org.apache.pekko.stream.SourceShape;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides about each event that the source brings: duplicates are dropped, and missing events are read from the journal, whose
 * answer is final: a number that it does not hold was rejected, or deleted.
 */
public final class Admission<E> {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final ProjectionId id;
    private final OffsetTable table;
    private final ProjectionProgress progress;
    private final EntityEvents<E> journal;
    private final boolean replayMissing;
    private final Optional<Duration> timeToLive;
    private final InstantSource clock;
    private final OutageRetries outages;

    public Admission(ProjectionId id, ProjectionParts<E> parts, ProjectionProgress progress, OutageRetries outages) {
        this.id = id;
        this.table = parts.table();
        this.progress = progress;
        this.journal = parts.source().journal();
        this.replayMissing = parts.settings().replayMissing();
        this.timeToLive = parts.settings().timeToLive().of(id.name());
        this.clock = parts.clock();
        this.outages = outages;
    }

    /** What is let in of some events, in order; and what the journal has said about others meanwhile. */
    private static final class Batch<E> {
        private final List<InFlight<E>> events;
        private final Map<EventId, Optional<Long>> answers = new HashMap<>();
        private final List<Source<InFlight<E>, NotUsed>> parts = new ArrayList<>();
        private final List<InFlight<E>> run = new ArrayList<>();
        private int next;

        Batch(List<InFlight<E>> events) {
            this.events = events;
        }

        void add(InFlight<E> admitted) {
            run.add(admitted);
        }

        void add(Source<InFlight<E>, NotUsed> part) {
            if (!run.isEmpty()) {
                parts.add(Source.from(List.copyOf(run)));
                run.clear();
            }
            parts.add(part);
        }

        Source<InFlight<E>, NotUsed> all() {
            Source<InFlight<E>, NotUsed> last = Source.from(List.copyOf(run));
            return parts.isEmpty()
                    ? last
                    : Source.from(parts).flatMapConcat(part -> part).concat(last);
        }
    }

    /** What of some events is to be processed, with what was missing before them. */
    public CompletionStage<Source<InFlight<E>, NotUsed>> admit(List<InFlight<E>> events) {
        Set<String> entities =
                events.stream().map(event -> event.position().persistenceId()).collect(Collectors.toSet());
        Set<String> unloaded = progress.hold(entities);
        CompletionStage<?> loaded = unloaded.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : outages.run(() -> table.lastProcessed(unloaded, progress.sets()))
                        .thenAccept(found -> progress.loaded(unloaded, found));
        Batch<E> batch = new Batch<>(events);
        return loaded.thenCompose(done -> ask(questions(events), batch))
                .thenCompose(done -> proceed(batch))
                .thenApply(done -> {
                    progress.release(entities);
                    return batch.all();
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
            admit(event, batch);
        } else if (verdict instanceof Verdict.Unknown unknown) {
            long floor = floor(position, unknown);
            if (isProcessed(before, floor)) {
                admit(event, batch);
            } else {
                admitAfter(unknown.from(), floor, event, batch);
            }
        } else if (verdict instanceof Verdict.Gap gap) {
            admitAfter(gap.from(), 0, event, batch);
        } else if (verdict instanceof Verdict.Reset) {
            LOG.info("{}: '{}' begins anew with {}.", id.id(), position.persistenceId(), position);
            if (position.sequenceNumber() == 1) {
                admit(event, batch);
            } else {
                admitAfter(1, progress.setTo(position.slice()), event, batch);
            }
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
        return verdict instanceof Verdict.Gap gap && !replayMissing ? new Verdict.Unknown(gap.from()) : verdict;
    }

    private void admit(InFlight<E> event, Batch<E> batch) {
        progress.admit(event.position());
        batch.add(event);
    }

    private void admitAfter(long from, long floor, InFlight<E> event, Batch<E> batch) {
        Position position = event.position();
        LOG.debug("{}: events from {} on are read from the journal before {}.", id.id(), from, position);
        progress.admit(position);
        batch.add(stored(position.persistenceId(), from, position.sequenceNumber() - 1)
                .filter(earlier -> earlier.position().timestamp() >= floor)
                .map(earlier -> new InFlight<>(allowed(earlier, position), position.timestamp()))
                .concat(Source.single(event)));
    }

    /** What the journal holds, as it is asked for; an outage in between is waited out. */
    private Source<AdaptedEvent<E>, NotUsed> stored(String persistenceId, long from, long to) {
        AtomicLong next = new AtomicLong(from);
        return journal.events(persistenceId, from, to)
                .via(AdaptedEvent.assembling())
                .map(event -> {
                    next.set(event.position().sequenceNumber() + 1);
                    return event;
                })
                .recoverWithRetries(
                        1,
                        new PFBuilder<Throwable, Graph<SourceShape<AdaptedEvent<E>>, NotUsed>>()
                                .matchAny(thrown -> resumed(thrown, persistenceId, next.get(), to))
                                .build());
    }

    /** Goes on when the journal answers again; fails with what was thrown, if that is not an outage. */
    private Source<AdaptedEvent<E>, NotUsed> resumed(Throwable thrown, String persistenceId, long from, long to) {
        AtomicBoolean again = new AtomicBoolean();
        CompletionStage<?> answered = outages.run(() -> again.getAndSet(true)
                ? journal.timestampsOf(List.of(new EventId(persistenceId, from)))
                : CompletableFuture.failedFuture(thrown));
        return Source.completionStageSource(answered.thenApply(works -> stored(persistenceId, from, to)))
                .mapMaterializedValue(value -> NotUsed.getInstance());
    }

    private AdaptedEvent<E> allowed(AdaptedEvent<E> missing, Position next) {
        if (!replayMissing) {
            throw new VarveException(id.id() + ": " + missing.position() + " and perhaps others are missing before "
                    + next + ". The projection starts again from its stored offset"
                    + " (replay-on-rejected-sequence-numbers = off).");
        }
        return missing;
    }

    /** The timestamp before which events count as processed although no row says so: somebody said it, or their row is gone. */
    private long floor(Position position, Verdict.Unknown unknown) {
        long setTo = progress.setTo(position.slice());
        return unknown.from() == 1 && timeToLive.isPresent()
                ? Math.max(setTo, Microseconds.of(clock.instant().minus(timeToLive.get())))
                : setTo;
    }

    /**
     * Whether all events before one count as processed. Timestamps increase within an entity, so that its predecessor decides; if
     * that one is gone, it was deleted with all before it, or it alone was rejected, which only the journal as a whole can tell.
     */
    private boolean isProcessed(Optional<Long> before, long floor) {
        return before.map(timestamp -> timestamp < floor).orElse(!replayMissing || !journal.skipsHoles());
    }
}
