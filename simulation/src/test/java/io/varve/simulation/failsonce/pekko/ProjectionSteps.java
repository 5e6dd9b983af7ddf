package io.varve.simulation.failsonce.pekko;

import static io.varve.simulation.failsonce.pekko.Projections.ENTITIES;

import io.varve.projection.ProgressObserver;
import io.varve.projection.ProgressObservers;
import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.Items;
import io.varve.simulation.failsonce.ProjectionBook;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.ServiceTables;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.UseCase.Invariant;
import io.varve.simulation.failsonce.Wire;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;

/** What projections do, and what they leave. */
final class ProjectionSteps {
    private ProjectionSteps() {}

    /** A projection runs until it has processed all events, and what is to fail has failed. Outages end when it has told of them. */
    static Step<PekkoProcess> run(Projections projection) {
        return running(projection)
                .then((scene, process) -> scene.server()
                        .until(() ->
                                ENTITIES.stream().allMatch(id -> isProcessed(scene, projection, id, events(scene, id))))
                        .thenCompose(all -> process.wire().settled()));
    }

    /** A projection is started, unless it runs here. */
    static Step<PekkoProcess> running(Projections projection) {
        return (scene, process) -> {
            if (!process.isFirst("projection")) {
                return CompletableFuture.completedFuture(null);
            }
            ProgressObservers.get(process.system()).add(new Mending(process.wire()));
            return process.start(
                    parent -> Adapter.toClassic(parent.spawnAnonymous(
                            ProjectionBehavior.create(projection.of(scene.projection(), process.system())))),
                    new CompletableFuture<>());
        };
    }

    private static long events(Scene scene, String entity) {
        return scene.entity(entity).events().size();
    }

    private static boolean isProcessed(Scene scene, Projections projection, String entity, long events) {
        return projection.isExactlyOnce()
                ? ProjectionBook.effects(scene, entity).size() == events
                : row(scene, entity) == events;
    }

    /** The number in the row of an entity: up to there its events count as processed. */
    private static long row(Scene scene, String entity) {
        return scene.server().items(ServiceTables.OFFSETS).stream()
                .filter(item -> Items.text(item, "pid").equals(entity))
                .mapToLong(item -> Items.number(item, "seq_nr"))
                .max()
                .orElse(0);
    }

    /** What is stored is what was processed: exactly-once effects once and without a gap, other events not before they are handled. */
    static Invariant<PekkoProcess> asProcessed(Projections projection) {
        return (scene, succeeded) -> {
            for (String entity : ENTITIES) {
                long row = row(scene, entity);
                if (projection.isExactlyOnce()) {
                    requireEffects(scene, entity, row, number -> number == 1);
                } else {
                    scene.projection().requireOrder();
                    Broken.unless(
                            scene.projection().hasHandledUpTo(entity, row),
                            "%d of %s counts as processed",
                            row,
                            entity);
                }
                Broken.unless(!succeeded || row == events(scene, entity), "only %d of %s are processed", row, entity);
            }
            return Step.nothing();
        };
    }

    /** The effects of the events up to a number are stored, and none else, each as often as it may be. */
    static void requireEffects(Scene scene, String entity, long upTo, IntPredicate times) {
        Map<Long, Integer> effects = ProjectionBook.effects(scene, entity);
        Broken.unless(
                effects.keySet().stream()
                                .toList()
                                .equals(LongStream.rangeClosed(1, upTo).boxed().toList())
                        && effects.values().stream().allMatch(times::test),
                "The effects of %s up to %d are stored %s",
                entity,
                upTo,
                effects);
    }

    /** Ends an outage when a projection has told of it. */
    private record Mending(Wire wire) implements ProgressObserver {
        @Override
        public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {}

        @Override
        public void outage(ProjectionId projection, Throwable cause, Duration lasting) {
            wire.mend();
        }

        @Override
        public void failed(ProjectionId projection, Throwable cause) {
            wire.mend();
        }
    }
}
