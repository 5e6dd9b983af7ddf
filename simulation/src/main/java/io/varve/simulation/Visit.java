package io.varve.simulation;

import io.varve.store.internal.async.Causes;

/** An instance that recovers and stops, as one does that was only asked for something. */
final class Visit {
    private boolean recovered;

    private Visit() {}

    static Visit of(Instance instance) {
        Visit visit = new Visit();
        instance.node().execute(() -> {
            instance.truth().presences().visited(instance, instance.world().now());
            instance.world().met(Rare.VISIT);
            Recovery.of(instance).whenComplete((done, thrown) -> {
                if (thrown == null) {
                    visit.recovered = true;
                } else if (Causes.unwrap(thrown) instanceof BrokenPromise broken) {
                    instance.world().broken(broken);
                } else {
                    instance.requireOurs(thrown);
                    instance.note(() -> "fails: " + Causes.unwrap(thrown).getMessage());
                }
            });
        });
        return visit;
    }

    boolean hasRecovered() {
        return recovered;
    }
}
