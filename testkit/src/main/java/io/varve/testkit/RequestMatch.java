package io.varve.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Which requests a rule is for: an immutable value, narrowed by each call. */
public final class RequestMatch {

    private final Set<String> operations;
    private final List<Predicate<DynamoDBRequest>> conditions;
    private final int skip;
    private final int times;
    private final double chance;

    private RequestMatch(
            Set<String> operations, List<Predicate<DynamoDBRequest>> conditions, int skip, int times, double chance) {
        if (skip < 0 || times < 0 || !(chance >= 0 && chance <= 1)) {
            throw new IllegalArgumentException(
                    "skip and times are not negative and a chance lies between 0 and 1, but they are %d, %d and %s"
                            .formatted(skip, times, chance));
        }
        this.operations = operations;
        this.conditions = conditions;
        this.skip = skip;
        this.times = times;
        this.chance = chance;
    }

    /** Every request. */
    public static RequestMatch any() {
        return new RequestMatch(Set.of(), List.of(), 0, Integer.MAX_VALUE, 1);
    }

    /** Requests of one of these operations, such as {@code PutItem}. */
    public static RequestMatch operation(String... names) {
        return new RequestMatch(Set.of(names), List.of(), 0, Integer.MAX_VALUE, 1);
    }

    /** Only requests that name this table. */
    public RequestMatch table(String name) {
        return where(request -> request.tables().contains(name));
    }

    /** Only requests in which any partition key is this one. */
    public RequestMatch key(String partitionKey) {
        return keyWhere(partitionKey::equals);
    }

    /** Only requests in which any partition key starts like this. */
    public RequestMatch keyPrefix(String prefix) {
        return keyWhere(key -> key.startsWith(prefix));
    }

    /** Only requests in which any partition key is accepted. */
    public RequestMatch keyWhere(Predicate<String> accepts) {
        return where(request -> request.partitionKeys().stream().anyMatch(accepts));
    }

    /** Only queries and scans of this index. */
    public RequestMatch index(String name) {
        return where(request -> request.index().filter(name::equals).isPresent());
    }

    /** Only requests that are accepted; the predicate must not block. */
    public RequestMatch where(Predicate<DynamoDBRequest> accepts) {
        List<Predicate<DynamoDBRequest>> more = new ArrayList<>(conditions);
        more.add(accepts);
        return new RequestMatch(operations, List.copyOf(more), skip, times, chance);
    }

    /** Lets the first matching requests pass. */
    public RequestMatch skip(int requests) {
        return new RequestMatch(operations, conditions, requests, times, chance);
    }

    /** Ends after so many hits. */
    public RequestMatch times(int hits) {
        return new RequestMatch(operations, conditions, skip, hits, chance);
    }

    /** Hits each matching request that is not skipped with a probability between 0 and 1, drawn from the proxy's seed. */
    public RequestMatch chance(double probability) {
        return new RequestMatch(operations, conditions, skip, times, probability);
    }

    boolean accepts(DynamoDBRequest request) {
        return (operations.isEmpty() || operations.contains(request.operation()))
                && conditions.stream().allMatch(condition -> condition.test(request));
    }

    boolean needsBody() {
        return !conditions.isEmpty();
    }

    int skip() {
        return skip;
    }

    int times() {
        return times;
    }

    double chance() {
        return chance;
    }
}
