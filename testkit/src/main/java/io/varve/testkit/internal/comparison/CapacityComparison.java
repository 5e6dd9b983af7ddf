package io.varve.testkit.internal.comparison;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.Capacity;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.internal.engine.DynamoDBEngine;
import io.varve.testkit.internal.engine.EngineDifference;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the capacity that a proxy computes for each request with what the engine behind it says, where that counts as AWS does.
 *
 * <p>It asks by a rule for all requests, so rules that are added later are not reached until it stops.
 */
public final class CapacityComparison {
    private static final List<String> HIDING = List.of("ProjectionExpression", "AttributesToGet");

    private final FaultProxy proxy;
    private final DynamoDBEngine engine;
    private final Set<String> localIndexes;
    private final Map<JsonNode, Capacity> reported = Collections.synchronizedMap(new IdentityHashMap<>());

    private final FaultRule rule;

    private CapacityComparison(FaultProxy proxy, DynamoDBEngine engine, Set<String> localIndexes) {
        this.proxy = proxy;
        this.engine = engine;
        this.localIndexes = localIndexes;
        this.rule = proxy.on(
                RequestMatch.any(), Fault.reportCapacity((request, units) -> reported.put(request.body(), units)));
    }

    /** Asks the engine from now on; the tables with local indexes are named. */
    public static CapacityComparison of(FaultProxy proxy, DynamoDBEngine engine, String... tablesWithLocalIndexes) {
        return new CapacityComparison(proxy, engine, Set.of(tablesWithLocalIndexes));
    }

    /** The same for the engine that the system properties choose. */
    public static CapacityComparison of(FaultProxy proxy, String... tablesWithLocalIndexes) {
        return of(proxy, DynamoDBEngine.chosen(System.getProperties()), tablesWithLocalIndexes);
    }

    /** Asks no more. */
    public void stop() {
        rule.remove();
    }

    /** The recorded requests that the engine counts otherwise, though it should not; and how many were compared. */
    public Result result() {
        List<RecordedRequest> comparable = proxy.requests().requests().stream()
                .filter(request -> reported(request).isPresent() && isCountedAsByAws(request))
                .toList();
        List<String> different = comparable.stream()
                .filter(request -> !reported(request).equals(Optional.of(request.capacity())))
                .map(request -> "%s: %s by AWS's rules, %s by %s"
                        .formatted(
                                request.request(),
                                request.capacity(),
                                reported(request).orElseThrow(),
                                engine.id()))
                .toList();
        return new Result(comparable.size(), different);
    }

    private Optional<Capacity> reported(RecordedRequest request) {
        return Optional.ofNullable(reported.get(request.request().body()));
    }

    /** What was compared, and what differs. */
    public record Result(int compared, List<String> different) {
        /** Keeps its own list. */
        public Result {
            different = List.copyOf(different);
        }
    }

    private boolean isCountedAsByAws(RecordedRequest request) {
        JsonNode body = request.request().body();
        return switch (request.operation()) {
            case "TransactWriteItems" -> !engine.differs(EngineDifference.TRANSACTIONS_COUNTED_AS_A_WHOLE);
            case "TransactGetItems" -> !engine.differs(EngineDifference.PROJECTION_LOWERS_COST);
            case "GetItem" ->
                !engine.differs(EngineDifference.PROJECTION_LOWERS_COST)
                        || HIDING.stream().noneMatch(body::has);
            case "BatchGetItem" -> !engine.differs(EngineDifference.NOTHING_FOUND_IS_FREE);
            case "Query", "Scan" -> !engine.differs(EngineDifference.NOTHING_FOUND_IS_FREE) || request.items() > 0;
            default ->
                !engine.differs(EngineDifference.OVERHEAD_COUNTED)
                        || Collections.disjoint(localIndexes, request.tables());
        };
    }
}
