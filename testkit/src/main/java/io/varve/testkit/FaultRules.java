package io.varve.testkit;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;

/** The rules of one proxy, in the order of their addition. */
final class FaultRules {

    private final List<FaultRule> rules = new CopyOnWriteArrayList<>();
    private final SplittableRandom random;

    FaultRules(long seed) {
        this.random = new SplittableRandom(seed);
    }

    synchronized FaultRule add(RequestMatch match, Fault fault) {
        FaultRule rule = new FaultRule(match, fault, random.split(), this);
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
