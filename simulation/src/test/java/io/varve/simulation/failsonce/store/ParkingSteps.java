package io.varve.simulation.failsonce.store;

import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.UseCase.Invariant;
import io.varve.store.internal.offset.Advance;
import io.varve.store.internal.offset.EntityRow;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.ParkedRow;
import io.varve.store.internal.offset.ParkedRows;
import io.varve.store.internal.offset.SetOffsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** An entity is set aside, and somebody decides about it, on the table and without streams. */
final class ParkingSteps {
    private ParkingSteps() {}

    /** The handler has failed for good for an event. */
    static Step<ServiceProcess> park(long number) {
        Advance event = Advance.of(ProjectionEvents.event(OffsetSteps.ENTITY, number));
        return (scene, process) -> process.offsets()
                .parked()
                .park(event, "poisoned", true, SetOffsets.NONE)
                .thenAccept(done -> Broken.unless(done, "%d could not be parked", number));
    }

    static Step<ServiceProcess> retry(long number) {
        return order(parked -> parked.retry(OffsetSteps.ENTITY, number));
    }

    static Step<ServiceProcess> skip(long number) {
        return order(parked -> parked.skip(OffsetSteps.ENTITY, number));
    }

    static Step<ServiceProcess> giveUp(long number, long last) {
        return order(parked -> parked.giveUp(OffsetSteps.ENTITY, number))
                .then(order(parked -> parked.skipTo(ProjectionEvents.event(OffsetSteps.ENTITY, last), number)));
    }

    /** What is ordered twice is not there any more the second time. */
    private static Step<ServiceProcess> order(Function<ParkedRows, CompletionStage<Boolean>> order) {
        return (scene, process) -> order.apply(process.offsets().parked());
    }

    /** An entity that has caught up is taken from the list. */
    static Step<ServiceProcess> remove() {
        return (scene, process) -> listed(
                process,
                row -> row.isEmpty() ? Steps.done() : process.offsets().parked().remove(row.get()));
    }

    private static CompletionStage<?> listed(
            ServiceProcess process, Function<Optional<ParkedRow>, CompletionStage<?>> then) {
        return process.offsets()
                .parked()
                .list()
                .thenCompose(rows -> then.apply(rows.stream().findFirst()));
    }

    private interface Check {
        void on(Optional<ParkedRow> row, Optional<EntityRow> entity, boolean succeeded);
    }

    private static Invariant<ServiceProcess> check(Check check) {
        return (scene, succeeded) -> (same, process) -> listed(
                process,
                row -> process.offsets()
                        .load(List.of(OffsetSteps.ENTITY), SetOffsets.NONE)
                        .thenAccept(found -> {
                            Optional<EntityRow> entity = Optional.ofNullable(found.get(OffsetSteps.ENTITY));
                            Broken.unless(
                                    row.isPresent()
                                            || entity.flatMap(EntityRow::parkedAt)
                                                    .isEmpty(),
                                    "%s is parked, and not listed",
                                    entity);
                            check.on(row, entity, succeeded);
                        }));
    }

    /** It waits at an event, in its row and in the list, or in neither. */
    static Invariant<ServiceProcess> waitsAt(long number) {
        return check((row, entity, succeeded) -> {
            Optional<Long> marked = entity.flatMap(EntityRow::parkedAt).map(EntityRow.ParkedAt::sequenceNumber);
            Broken.unless(
                    marked.equals(row.map(ParkedRow::event).map(LastProcessed::sequenceNumber)),
                    "it is parked at %s, and listed %s",
                    marked,
                    row);
            Broken.unless(!succeeded || marked.filter(at -> at == number).isPresent(), "it is parked at %s", marked);
        });
    }

    /** Its row says that it goes on after an event, and it stays in the list until it has caught up. */
    static Invariant<ServiceProcess> goesOnAfter(long number) {
        return check((row, entity, succeeded) -> {
            Broken.unless(row.isPresent(), "it is not listed, and may have events that were passed by");
            Broken.unless(
                    !succeeded
                            || (row.get().order() == ParkedRow.Order.RETRY
                                    && entity.flatMap(EntityRow::parkedAt)
                                                    .map(at -> at.sequenceNumber() - 1)
                                                    .orElseGet(() -> entity.orElseThrow()
                                                            .last()
                                                            .sequenceNumber())
                                            == number),
                    "%s is listed, and %s stored",
                    row,
                    entity);
        });
    }

    /** It is in the list no more. */
    static Invariant<ServiceProcess> isNotListed() {
        return check((row, entity, succeeded) -> Broken.unless(!succeeded || row.isEmpty(), "%s is listed", row));
    }
}
