package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.internal.settings.Pauses;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Batches of which DynamoDB leaves items unprocessed. */
class RequestsTest {
    private static final RequestMatch BATCH = RequestMatch.operation("BatchWriteItem");
    private static TestSystem test;
    private static FaultProxy proxy;
    private static DynamoDbAsyncClient client;

    @BeforeAll
    static void start() {
        test = new TestSystem("");
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        client = proxy.client();
    }

    @AfterEach
    void clear() {
        proxy.clear();
    }

    @AfterAll
    static void stop() {
        client.close();
        proxy.close();
        test.close();
    }

    private static BatchWriteItemResponse write(String name, int items, int maxRetries) {
        List<WriteRequest> writes = IntStream.range(0, items)
                .mapToObj(i -> WriteRequest.builder()
                        .putRequest(put -> put.item(Map.of("id", AttributeValue.fromS(name + i))))
                        .build())
                .toList();
        return Requests.batchWriteWithRetries(
                        client,
                        BatchWriteItemRequest.builder()
                                .requestItems(Map.of(test.target(), writes))
                                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                                .build(),
                        maxRetries,
                        Duration.ofMillis(1),
                        Duration.ofMillis(5),
                        0.3,
                        test.system())
                .toCompletableFuture()
                .join();
    }

    private static boolean exists(String id) {
        return test.client()
                .getItem(get -> get.tableName(test.target()).key(Map.of("id", AttributeValue.fromS(id))))
                .join()
                .hasItem();
    }

    @Test
    void unprocessedItems_areWrittenAgain_andOnlyThey() {
        var rule = proxy.on(BATCH.times(2), Fault.unprocessed(2));
        BatchWriteItemResponse response = write("again", 5, 3);
        assertThat(rule.hits()).isEqualTo(2);
        assertThat(response.unprocessedItems()).isEmpty();
        assertThat(response.consumedCapacity()).isNotEmpty();
        assertThat(IntStream.range(0, 5)).allMatch(i -> exists("again" + i));
    }

    @Test
    void itemsThatStayUnprocessed_failWithTheLastResponse() {
        var rule = proxy.on(BATCH, Fault.unprocessed(1));
        assertThatThrownBy(() -> write("left", 3, 2)).cause().isInstanceOfSatisfying(BatchWriteFailed.class, failed -> {
            assertThat(failed).hasMessageContaining("1 items").hasMessageContaining("2 retries");
            assertThat(failed.lastResponse().unprocessedItems().get(test.target()))
                    .hasSize(1);
        });
        assertThat(rule.hits()).isEqualTo(3);
        assertThat(exists("left0")).isTrue();
        assertThat(exists("left2")).isFalse();
    }

    @Test
    void withoutRetries_oneRequestIsSent() {
        var rule = proxy.on(BATCH, Fault.unprocessed());
        assertThatThrownBy(() -> write("none", 1, 0)).hasCauseInstanceOf(BatchWriteFailed.class);
        assertThat(rule.hits()).isEqualTo(1);
    }

    @Test
    void requestThatFails_isPassedOn() {
        var rule = proxy.on(BATCH, Fault.internalServerError());
        assertThatThrownBy(() -> write("error", 1, 5)).hasCauseInstanceOf(DynamoDbException.class);
        assertThat(rule.hits()).isEqualTo(1);
    }

    @Test
    void pauses_growUpToTheLongest() {
        Pauses pauses = new Pauses(Duration.ofMillis(100), Duration.ofSeconds(1), 0);
        assertThat(pauses.next(0)).isEqualTo(Duration.ofMillis(100));
        assertThat(pauses.next(2)).isEqualTo(Duration.ofMillis(400));
        assertThat(pauses.next(5)).isEqualTo(Duration.ofSeconds(1));
        assertThat(pauses.next(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(1));
        Pauses random = new Pauses(Duration.ofMillis(100), Duration.ofSeconds(1), 0.5);
        assertThat(random.next(0)).isBetween(Duration.ofMillis(100), Duration.ofMillis(150));
    }
}
