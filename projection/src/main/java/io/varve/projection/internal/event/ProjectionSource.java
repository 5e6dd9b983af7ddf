package io.varve.projection.internal.event;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;

/** Where the events of a projection come from: those of a range of slices as they are stored, and single ones by their numbers. */
public record ProjectionSource<E>(
        SourceProvider<Offset, E> provider, int minSlice, int maxSlice, EntityEvents<E> journal) {

    /** Of the user's provider, if it has all of that. */
    public static <E> ProjectionSource<E> of(ProjectionId id, SourceProvider<Offset, E> provider) {
        if (!(provider instanceof BySlicesSourceProvider slices)) {
            throw new IllegalArgumentException("The source of projection " + id.id() + " is a "
                    + provider.getClass().getName() + ", which is not by slices: use"
                    + " DynamoDBSourceProvider.eventsBySlices, or EventSourcedProvider.eventsBySlices of Pekko.");
        }
        return new ProjectionSource<>(provider, slices.minSlice(), slices.maxSlice(), EntityEvents.of(provider));
    }

    /** The envelopes of all events from an offset on. */
    public CompletionStage<Source<E, NotUsed>> envelopes(Offset from) {
        return provider.source(() -> CompletableFuture.completedFuture(Optional.of(from)));
    }

    public Offset offset(E envelope) {
        return provider.extractOffset(envelope);
    }

    public long creationTime(E envelope) {
        return provider.extractCreationTime(envelope);
    }
}
