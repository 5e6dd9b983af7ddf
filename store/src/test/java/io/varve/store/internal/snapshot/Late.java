package io.varve.store.internal.snapshot;

import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.util.concurrent.Semaphore;

/** Requests that are given up by their sender, and arrive when the test says so. */
final class Late {
    private final Gate gate;
    private final Semaphore arrived = new Semaphore(0);

    private Late(FaultProxy proxy, RequestMatch match) {
        this.gate = proxy.hold(match, Fault.runAfter(request -> arrived.release()));
    }

    static Late on(FaultProxy proxy, RequestMatch match) {
        return new Late(proxy, match);
    }

    /** Waits until a request is held. */
    void awaitHeld() {
        gate.awaitArrival();
    }

    /** Lets the request that has waited longest, if there is one, or the next one go on. */
    void release() {
        gate.release();
    }

    /** Lets all that are held go on, and returns when DynamoDB has answered them. */
    void arrive() {
        gate.releaseAll();
        arrived.acquireUninterruptibly(gate.arrivals());
    }
}
