package io.varve.simulation.failsonce.pekko;

import io.varve.simulation.failsonce.SnapshotBook;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.pekko.Entity.DeleteStates;
import io.varve.simulation.failsonce.pekko.Entity.SaveState;

/** What services do with the snapshots of persistent actors, each noted in their books. */
final class StateSteps {
    private StateSteps() {}

    /** Saves a state of about so many bytes under the number of the last event. */
    static Step<PekkoProcess> save(String id, int bytes) {
        return (scene, process) -> EntitySteps.with(id, ClassicEntity::startFromSnapshot, (entity, events) -> {
                    SnapshotBook book = scene.snapshotsOf(id);
                    long number = entity.next() - 1;
                    String text = book.make(number, bytes);
                    book.saving(number, text);
                    return EntitySteps.<Long>ask(entity, answer -> new SaveState(text, answer))
                            .thenAccept(saved -> book.saved(number, text));
                })
                .run(scene, process);
    }

    static Step<PekkoProcess> deleteOne(String id, long number) {
        return delete(id, number, number);
    }

    static Step<PekkoProcess> deleteUpTo(String id, long number) {
        return delete(id, 0, number);
    }

    private static Step<PekkoProcess> delete(String id, long from, long to) {
        return (scene, process) -> EntitySteps.with(id, ClassicEntity::startFromSnapshot, (entity, events) -> {
                    SnapshotBook book = scene.snapshotsOf(id);
                    book.deleting(from, to);
                    return EntitySteps.<Long>ask(entity, answer -> new DeleteStates(from, to, answer))
                            .thenAccept(deleted -> book.deleted(from, to));
                })
                .run(scene, process);
    }
}
