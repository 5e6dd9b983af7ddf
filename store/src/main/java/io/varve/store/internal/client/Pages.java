package io.varve.store.internal.client;

import io.varve.store.internal.async.Loop;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/** The pages of a query or a scan. A page can be empty although more follow. */
public final class Pages {
    private Pages() {}

    /** Hands over all pages of a query; the next one is read when the stage that the receiver returned is complete. */
    public static CompletionStage<Void> forEach(
            Gateway gateway,
            QueryRequest query,
            Budget budget,
            Function<QueryResponse, ? extends CompletionStage<?>> receiver) {
        return Loop.walk(
                query,
                request -> gateway.call(Call.QUERY, request, budget)
                        .thenCompose(page -> receiver.apply(page)
                                .thenApply(done -> after(page)
                                        .map(key -> request.toBuilder()
                                                .exclusiveStartKey(key)
                                                .build()))));
    }

    /** The key after which the next page begins; absent after the last page. */
    public static Optional<Map<String, AttributeValue>> after(QueryResponse page) {
        return present(page.lastEvaluatedKey());
    }

    /** The key after which the next page begins; absent after the last page. */
    public static Optional<Map<String, AttributeValue>> after(ScanResponse page) {
        return present(page.lastEvaluatedKey());
    }

    private static Optional<Map<String, AttributeValue>> present(Map<String, AttributeValue> key) {
        return Optional.of(key).filter(found -> !found.isEmpty());
    }
}
