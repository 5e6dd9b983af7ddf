package io.varve.projection;

import io.varve.projection.internal.settings.Pauses;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.pattern.Patterns;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;

/** Help for handlers that write to DynamoDB themselves. */
public final class Requests {
    private Requests() {}

    /**
     * Writes a batch, and what stays unprocessed of it again, with growing pauses. Fails with {@link BatchWriteFailed} if items
     * are left after the last retry; a failure of a request is not retried here, because the client does that.
     */
    public static CompletionStage<BatchWriteItemResponse> batchWriteWithRetries(
            DynamoDbAsyncClient client,
            BatchWriteItemRequest request,
            int maxRetries,
            Duration minBackoff,
            Duration maxBackoff,
            double randomFactor,
            ActorSystem<?> system) {
        return write(client, request, maxRetries, 0, new Pauses(minBackoff, maxBackoff, randomFactor), system);
    }

    private static CompletionStage<BatchWriteItemResponse> write(
            DynamoDbAsyncClient client,
            BatchWriteItemRequest request,
            int maxRetries,
            int retry,
            Pauses pauses,
            ActorSystem<?> system) {
        return client.batchWriteItem(request).thenCompose(response -> {
            if (!response.hasUnprocessedItems() || response.unprocessedItems().isEmpty()) {
                return CompletableFuture.completedFuture(response);
            }
            if (retry >= maxRetries) {
                int items = response.unprocessedItems().values().stream()
                        .mapToInt(Collection::size)
                        .sum();
                return CompletableFuture.failedFuture(new BatchWriteFailed(
                        items + " items for " + response.unprocessedItems().keySet()
                                + " stayed unprocessed after " + maxRetries + " retries. The tables' write capacity is"
                                + " too low for this load, or a key is hot.",
                        response));
            }
            BatchWriteItemRequest rest = request.toBuilder()
                    .requestItems(response.unprocessedItems())
                    .build();
            return Patterns.after(
                    pauses.next(retry), system, () -> write(client, rest, maxRetries, retry + 1, pauses, system));
        });
    }
}
