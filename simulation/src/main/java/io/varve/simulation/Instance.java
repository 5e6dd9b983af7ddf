package io.varve.simulation;

import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.journal.EventStore;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.snapshot.SnapshotStore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;

/**
 * An instance of an entity on a node: who it is, and what it works with.
 *
 * @param name unique among all instances of all entities
 */
record Instance(World world, ServiceNode process, EntityTruth truth, String name) {

    String entity() {
        return truth.entity();
    }

    Node node() {
        return process.node();
    }

    EventStore events() {
        return process.events();
    }

    SnapshotStore snapshots() {
        return process.snapshots();
    }

    void note(Supplier<String> what) {
        world.note(() -> name + " on " + node().name() + " " + what.get());
    }

    /** What users are told is ours, whatever has happened. */
    void requireOurs(@Nullable Throwable thrown) {
        if (thrown != null && !(Causes.unwrap(thrown) instanceof VarveException)) {
            world.broken(new BrokenPromise("Entity " + entity() + " was told what no user understands.", thrown));
        }
    }

    BrokenPromise broken(String what) {
        return new BrokenPromise("Entity " + entity() + " " + what + ".", entity());
    }

    static Payload payload(SdkBytes bytes) {
        return new Payload(bytes, 20, "");
    }

    static String text(Payload payload) {
        return payload.bytes().asUtf8String();
    }
}
