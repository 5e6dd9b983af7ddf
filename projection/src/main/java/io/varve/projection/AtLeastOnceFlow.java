package io.varve.projection;

import io.varve.store.VarveException;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import org.apache.pekko.stream.javadsl.Source;

/** Envelopes through a flow of the user's, which emits one element for each; the progress is stored afterwards. */
final class AtLeastOnceFlow<E> implements Flavour<E> {
    private final FlowWithContext<E, ProjectionContext, Done, ProjectionContext, ?> flow;

    AtLeastOnceFlow(FlowWithContext<E, ProjectionContext, Done, ProjectionContext, ?> flow) {
        this.flow = flow;
    }

    @Override
    public Source<Done, NotUsed> process(Source<Passing<E>, NotUsed> admitted, Incarnation<E> incarnation) {
        Source<Passing<E>, NotUsed> processed = admitted.map(
                        passing -> Pair.<E, ProjectionContext>create(passing.envelope(), passing))
                .via(flow.asFlow())
                .<NotUsed>watchTermination((value, done) -> {
                    done.whenComplete((end, thrown) -> incarnation.flowEnded(thrown));
                    return value;
                })
                .map(pair -> incarnation.processedByFlow(passing(pair.second())));
        return incarnation.saveAfterwards(processed);
    }

    @SuppressWarnings("unchecked")
    private static <E> Passing<E> passing(ProjectionContext context) {
        if (context instanceof Passing<?> passing) {
            return (Passing<E>) passing;
        }
        throw new VarveException("The flow emitted the context "
                + context.getClass().getName() + " instead of the one that it was given.");
    }
}
