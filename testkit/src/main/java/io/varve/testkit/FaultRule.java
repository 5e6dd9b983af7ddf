package io.varve.testkit;

import java.util.Random;

/** A fault that a proxy applies to matching requests until it is removed. */
public final class FaultRule {

    private final RequestMatch match;
    private final Fault fault;
    private final Random random;
    private final Runnable remove;
    private int matched;
    private int hits;

    FaultRule(RequestMatch match, Fault fault, long seed, FaultRules rules) {
        this.match = match;
        this.fault = fault;
        this.random = new Random(seed);
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
        if (match.chance() < 1 && random.nextDouble() >= match.chance()) {
            return false;
        }
        matched++;
        if (matched <= match.skip()) {
            return false;
        }
        hits++;
        return true;
    }
}
