package io.varve.projection.internal.event;

import io.varve.persistence.query.EventMetadata;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.stream.javadsl.Flow;

/**
 * A stored event with all envelopes that an event adapter has made of it: mostly one, none if it drops the event or somebody has
 * filtered it out.
 *
 * <p>They have one sequence number, and so are one for the progress: processed, retried, skipped and stored together.
 */
public record AdaptedEvent<E>(Position position, List<E> envelopes) {

    /** Puts envelopes of the same event together, which follow one another. */
    public static <E> Flow<E, AdaptedEvent<E>, NotUsed> assembling() {
        return Flow.<E>create().statefulMapConcat(() -> {
            List<E> open = new ArrayList<>();
            return envelope -> {
                Position position = Position.of(envelope);
                EventMetadata metadata = EventMetadata.of((EventEnvelope<?>) envelope);
                List<AdaptedEvent<E>> whole = new ArrayList<>();
                if (!open.isEmpty() && (metadata.part() <= 1 || !position.equals(Position.of(open.get(0))))) {
                    whole.add(take(open));
                }
                if (metadata.parts() == 0 || isFiltered(metadata)) {
                    whole.add(new AdaptedEvent<>(position, List.of()));
                } else {
                    open.add(envelope);
                    if (metadata.part() == metadata.parts()) {
                        whole.add(take(open));
                    }
                }
                return whole;
            };
        });
    }

    /** Pekko's plugins mark an envelope whose event somebody has filtered out like this: no handler should see it. */
    private static boolean isFiltered(EventMetadata metadata) {
        return metadata.metadata().filter(NotUsed.getInstance()::equals).isPresent();
    }

    private static <E> AdaptedEvent<E> take(List<E> open) {
        AdaptedEvent<E> whole = new AdaptedEvent<>(Position.of(open.get(0)), List.copyOf(open));
        open.clear();
        return whole;
    }
}
