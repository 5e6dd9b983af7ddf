package io.varve.testkit;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** The rules of one proxy, in the order of their addition. */
final class FaultRules {

    private final List<FaultRule> rules = new CopyOnWriteArrayList<>();
    private final AtomicLong nextSeed;

    FaultRules(long seed) {
        this.nextSeed = new AtomicLong(seed);
    }

    FaultRule add(RequestMatch match, Fault fault) {
        FaultRule rule = new FaultRule(match, fault, nextSeed.getAndIncrement(), this);
        rules.add(rule);
        return rule;
    }

    void remove(FaultRule rule) {
        rules.remove(rule);
    }

    void clear() {
        rules.clear();
    }

    boolean needBody() {
        return rules.stream().anyMatch(FaultRule::needsBody);
    }

    /** The fault of the first rule that hits. */
    Optional<Fault> faultFor(DynamoDBRequest request) {
        return rules.stream().filter(rule -> rule.hit(request)).findFirst().map(FaultRule::fault);
    }
}
