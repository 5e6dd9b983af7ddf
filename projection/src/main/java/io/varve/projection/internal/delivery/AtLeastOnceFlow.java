package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.store.VarveException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Envelopes through a flow of the user's, which emits one element for each; the progress is stored afterwards. */
final class AtLeastOnceFlow<E> implements DeliveryMode<E> {
    private static final Logger LOG = LoggerFactory.getLogger(AtLeastOnceFlow.class);

    private final FlowWithContext<E, ProjectionContext, Done, ProjectionContext, ?> flow;
    private final ProjectionOptions<?> options;
    private final AtomicBoolean warned = new AtomicBoolean();

    AtLeastOnceFlow(
            FlowWithContext<E, ProjectionContext, Done, ProjectionContext, ?> flow, ProjectionOptions<?> options) {
        this.flow = flow;
        this.options = options;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery) {
        Source<InFlight<E>, NotUsed> processed = admitted.mapConcat(AtLeastOnceFlow::elements)
                .via(flow.asFlow())
                .<NotUsed>watchTermination((value, done) -> {
                    done.whenComplete((end, thrown) -> {
                        if (thrown != null) {
                            delivery.failed(thrown);
                        }
                    });
                    return value;
                })
                .mapConcat(pair -> emitted(part(pair.second()), delivery));
        return SavedAfterwards.save(processed, delivery, options);
    }

    /** The context of one of the envelopes of an event; the event is processed when none is open any more. */
    private record Part<E>(InFlight<E> event, AtomicInteger open) implements ProjectionContext {}

    private static <E> List<Pair<E, ProjectionContext>> elements(InFlight<E> event) {
        ProjectionContext part =
                new Part<>(event, new AtomicInteger(event.envelopes().size()));
        return event.envelopes().stream()
                .map(envelope -> Pair.create(envelope, part))
                .toList();
    }

    private List<InFlight<E>> emitted(Part<E> part, Delivery<E> delivery) {
        if (part.open().decrementAndGet() > 0) {
            return List.of();
        }
        warn(delivery.passOver(part.event()));
        delivery.processed(part.event());
        return List.of(part.event());
    }

    private void warn(List<Position> passedOver) {
        if (!passedOver.isEmpty() && !warned.getAndSet(true)) {
            LOG.warn(
                    "{}: the flow emitted nothing for {}, but for a later event of the entity, so that both count as processed."
                            + " A flow must emit an element for each envelope. This is logged once for each start.",
                    options.id().id(),
                    passedOver.get(0));
        }
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
