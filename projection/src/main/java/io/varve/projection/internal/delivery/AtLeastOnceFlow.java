package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.stream.ProjectionStream;
import io.varve.store.VarveException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import org.apache.pekko.stream.javadsl.Source;

/** Envelopes through a flow of the user's, which emits one element for each; the progress is stored afterwards. */
public final class AtLeastOnceFlow<E> implements DeliveryMode<E> {
    private final FlowWithContext<E, ProjectionContext, Done, ProjectionContext, ?> flow;

    public AtLeastOnceFlow(FlowWithContext<E, ProjectionContext, Done, ProjectionContext, ?> flow) {
        this.flow = flow;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, ProjectionStream<E> incarnation) {
        Source<InFlight<E>, NotUsed> processed = admitted.mapConcat(AtLeastOnceFlow::elements)
                .via(flow.asFlow())
                .<NotUsed>watchTermination((value, done) -> {
                    done.whenComplete((end, thrown) -> incarnation.flowEnded(thrown));
                    return value;
                })
                .mapConcat(pair -> emitted(part(pair.second()), incarnation));
        return incarnation.saveAfterwards(processed);
    }

    /** The context of one of the envelopes of an event; the event is processed when none is open any more. */
    private record Part<E>(InFlight<E> passing, AtomicInteger open) implements ProjectionContext {}

    private static <E> List<Pair<E, ProjectionContext>> elements(InFlight<E> passing) {
        ProjectionContext part =
                new Part<>(passing, new AtomicInteger(passing.envelopes().size()));
        return passing.envelopes().stream()
                .map(envelope -> Pair.create(envelope, part))
                .toList();
    }

    private static <E> List<InFlight<E>> emitted(Part<E> part, ProjectionStream<E> incarnation) {
        return part.open().decrementAndGet() == 0 ? List.of(incarnation.processedByFlow(part.passing())) : List.of();
    }

    @SuppressWarnings("unchecked")
    private static <E> Part<E> part(ProjectionContext context) {
        if (context instanceof Part<?> part) {
            return (Part<E>) part;
        }
        throw new VarveException("The flow emitted the context "
                + context.getClass().getName() + " instead of the one that it was given.");
    }
}
