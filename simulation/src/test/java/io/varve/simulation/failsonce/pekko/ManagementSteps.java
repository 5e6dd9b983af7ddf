package io.varve.simulation.failsonce.pekko;

import static io.varve.simulation.failsonce.pekko.Projections.ENTITIES;

import io.varve.simulation.failsonce.ProjectionBook;
import io.varve.simulation.failsonce.ServiceTables;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.UseCase.Invariant;
import io.varve.simulation.failsonce.store.OffsetSteps;
import io.varve.simulation.failsonce.store.WithoutPekko;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/** What somebody does by hand with an exactly-once projection that runs. */
final class ManagementSteps {
    private ManagementSteps() {}

    /** Whether a request is about offsets: of the others, some are always on their way. */
    static boolean isAboutOffsets(DynamoDbRequest request) {
        if (request instanceof BatchGetItemRequest get) {
            return get.requestItems().containsKey(ServiceTables.OFFSETS);
        }
        if (request instanceof BatchWriteItemRequest write) {
            return write.requestItems().containsKey(ServiceTables.OFFSETS);
        }
        return request.getValueForField("TableName", String.class)
                .filter(ServiceTables.OFFSETS::equals)
                .isPresent();
    }

    private interface Operation {
        CompletionStage<?> run(ProjectionManagement management);
    }

    private static Step<PekkoProcess> operation(Operation operation) {
        return ProjectionSteps.running(Projections.EXACTLY_ONCE)
                .then((scene, process) -> operation.run(ProjectionManagement.get(process.system())));
    }

    static Step<PekkoProcess> pause() {
        return operation(management -> management.pause(Projections.ID));
    }

    static Step<PekkoProcess> resume() {
        return operation(management -> management.resume(Projections.ID));
    }

    /** Begins again, from long before the first event. */
    static Step<PekkoProcess> rewind() {
        return operation(management ->
                        management.updateOffset(Projections.ID, Offset.timestamp(Instant.ofEpochSecond(1))))
                .then(again());
    }

    static Step<PekkoProcess> clear() {
        return operation(management -> management.clearOffset(Projections.ID)).then(again());
    }

    /** All is processed again. */
    private static Step<PekkoProcess> again() {
        return (scene, process) -> scene.server()
                .until(() -> ENTITIES.stream()
                        .map(id -> ProjectionBook.effects(scene, id))
                        .map(Map::values)
                        .flatMap(Collection::stream)
                        .allMatch(times -> times >= 2));
    }

    /** It is paused, or goes on, once that was told. */
    static Invariant<PekkoProcess> isPaused(boolean paused) {
        return (scene, succeeded) -> {
            WithoutPekko.now(scene, OffsetSteps.isPaused(paused).step(scene, succeeded));
            return ProjectionSteps.asProcessed(Projections.EXACTLY_ONCE).step(scene, !paused);
        };
    }

    /** All is processed, and again as often as somebody has asked for it. */
    static Invariant<PekkoProcess> processedAgain() {
        return (scene, succeeded) -> {
            ENTITIES.forEach(entity -> ProjectionSteps.requireEffects(
                    scene, entity, scene.entity(entity).events().size(), times -> times >= (succeeded ? 2 : 1)));
            return Step.nothing();
        };
    }
}
