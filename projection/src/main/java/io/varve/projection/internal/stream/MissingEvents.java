package io.varve.projection.internal.stream;

import io.varve.projection.internal.admission.Admission;
import io.varve.projection.internal.admission.Admitted;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.store.internal.layout.EventId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.pf.PFBuilder;
import org.apache.pekko.stream.Graph;
import org.apache.pekko.stream.SourceShape;
import org.apache.pekko.stream.javadsl.Source;

/** Streams what was let in, with what is missing before it: that is read from the journal as it is asked for. */
public record MissingEvents<E>(Admission<E> admission, EntityEvents<E> journal, OutageRetries outages) {

    /** Some events that were let in, in order. */
    public Source<InFlight<E>, NotUsed> before(List<Admitted<E>> admitted) {
        List<Source<InFlight<E>, NotUsed>> parts = new ArrayList<>();
        List<InFlight<E>> run = new ArrayList<>();
        for (Admitted<E> next : admitted) {
            if (next.missing().isPresent()) {
                if (!run.isEmpty()) {
                    parts.add(Source.from(List.copyOf(run)));
                    run.clear();
                }
                parts.add(missing(next, next.missing().get()));
            } else {
                run.add(next.event());
            }
        }
        Source<InFlight<E>, NotUsed> last = Source.from(run);
        return parts.isEmpty()
                ? last
                : Source.from(parts).flatMapConcat(part -> part).concat(last);
    }

    private Source<InFlight<E>, NotUsed> missing(Admitted<E> next, Admitted.Missing missing) {
        AtomicBoolean anew = new AtomicBoolean(missing.anew());
        return stored(missing.persistenceId(), missing.from(), missing.to())
                .mapConcat(event -> admission.filling(event, next).stream().toList())
                .concat(Source.single(next.event()))
                .map(event -> {
                    if (anew.getAndSet(false)) {
                        event.setBeginsAnew();
                    }
                    return event;
                });
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
}
