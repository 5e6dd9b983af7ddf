package io.varve.projection.internal.stream;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.store.internal.layout.EventId;
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

/** Reads the events of single entities from the journal. */
record EntityHistory<E>(EntityEvents<E> journal, OutageRetries outages) {

    /** What the journal holds, as it is asked for; an outage in between is waited out. */
    Source<AdaptedEvent<E>, NotUsed> stored(String persistenceId, long from, long to) {
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
