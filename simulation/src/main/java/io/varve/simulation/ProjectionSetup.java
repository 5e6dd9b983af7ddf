package io.varve.simulation;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What the instances of a projection have in common.
 *
 * @param timeToLive of the rows of entities, if they do not live for good
 * @param handlerFails whether the handler fails, this time
 * @param lateEvent hears of a node that handles an event which is older than what a restart would read
 */
record ProjectionSetup(
        World world,
        String name,
        SliceRange range,
        Shape shape,
        DeliveryKind kind,
        DroppingAdapter adapter,
        Optional<Duration> timeToLive,
        EffectTruth truth,
        BooleanSupplier handlerFails,
        Consumer<ServiceNode> lateEvent) {

    /** What the adapter makes of an event: nothing, or its text. */
    AdaptedEvent<String> adapted(Event event) {
        Position position = new Position(
                event.persistenceId(), event.sequenceNumber(), event.timestamp(), Slices.of(event.persistenceId()));
        return new AdaptedEvent<>(
                position,
                adapter.drops(event.persistenceId(), event.sequenceNumber())
                        ? List.of()
                        : List.of(event.payload().bytes().asUtf8String()));
    }
}
