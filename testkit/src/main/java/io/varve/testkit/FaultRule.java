package io.varve.testkit;

import java.util.SplittableRandom;

/** A fault that a proxy applies to matching requests until it is removed. */
public final class FaultRule {

    private final RequestMatch match;
    private final Fault fault;
    private final SplittableRandom random;
    private final Runnable remove;
    private int matched;
    private int hits;

    FaultRule(RequestMatch match, Fault fault, SplittableRandom random, FaultRules rules) {
        this.match = match;
        this.fault = fault;
        this.random = random;
        this.remove = () -> rules.remove(this);
    }

    /** How many requests met the fault so far. */
    public synchronized int hits() {
        return hits;
    }

    /** Ends the rule; requests that it holds or delays are not affected. */
    public void remove() {
        remove.run();
    }

    Fault fault() {
        return fault;
    }

    boolean needsBody() {
        return match.needsBody() || fault.needsBody();
    }

    /** Whether the request meets the fault; counts it. */
    synchronized boolean hit(DynamoDBRequest request) {
        if (hits >= match.times() || !match.accepts(request)) {
            return false;
        }
        matched++;
        if (matched <= match.skip()) {
            return false;
        }
        if (match.chance() < 1 && random.nextDouble() >= match.chance()) {
            return false;
        }
        hits++;
        return true;
    }
}
