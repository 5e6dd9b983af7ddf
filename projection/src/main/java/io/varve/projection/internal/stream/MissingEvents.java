package io.varve.projection.internal.stream;

import io.varve.projection.internal.admission.Admission;
import io.varve.projection.internal.admission.Admitted;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.retry.OutageRetries;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.NotUsed;
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
        return new EntityHistory<>(journal, outages)
                .stored(missing.persistenceId(), missing.from(), missing.to())
                .mapConcat(event -> admission.filling(event, next).stream().toList())
                .takeWhile(event -> !event.isVoid())
                .concat(Source.single(next.event()))
                .map(event -> {
                    if (anew.getAndSet(false)) {
                        event.setBeginsAnew();
                    }
                    return event;
                });
    }
}
