package io.varve.benchmark.responder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.PutRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The responder as the SDK's client sees it, which checks lengths and sums. */
class ResponderTest {
    private static final Map<String, AttributeValue> ITEM = Map.of("par", AttributeValue.fromS("x"));

    private static final Responder RESPONDER = new Responder(Duration.ofMillis(1));
    private static final DynamoDbAsyncClient CLIENT = DynamoDbAsyncClient.builder()
            .endpointOverride(RESPONDER.endpoint())
            .region(Region.US_EAST_1)
            .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("dummy", "dummy")))
            .build();

    @AfterAll
    static void close() {
        RESPONDER.close();
        CLIENT.close();
    }

    @Test
    void writes_succeed() {
        assertThat(CLIENT.putItem(r -> r.tableName("t").item(ITEM))).succeedsWithin(Duration.ofSeconds(30));
        assertThat(CLIENT.transactWriteItems(r -> r.transactItems(TransactWriteItem.builder()
                        .put(p -> p.tableName("t").item(ITEM))
                        .build())))
                .succeedsWithin(Duration.ofSeconds(30));
        WriteRequest put = WriteRequest.builder()
                .putRequest(PutRequest.builder().item(ITEM).build())
                .build();
        assertThat(CLIENT.batchWriteItem(r -> r.requestItems(Map.of("t", List.of(put))))
                        .join()
                        .unprocessedItems())
                .isEmpty();
    }

    @Test
    void reads_findNothing() {
        assertThat(CLIENT.getItem(r -> r.tableName("t").key(ITEM)).join().hasItem())
                .isFalse();
        assertThat(CLIENT.query(r -> r.tableName("t").keyConditionExpression("par = :p"))
                        .join()
                        .items())
                .isEmpty();
        KeysAndAttributes keys = KeysAndAttributes.builder().keys(List.of(ITEM)).build();
        assertThat(CLIENT.batchGetItem(r -> r.requestItems(Map.of("t", keys)))
                        .join()
                        .unprocessedKeys())
                .isEmpty();
    }

    @Test
    void manyRequestsAtOnce_areAllAnswered() {
        CompletableFuture<?>[] puts = IntStream.range(0, 200)
                .mapToObj(i -> CLIENT.putItem(r -> r.tableName("t").item(ITEM)))
                .toArray(CompletableFuture<?>[]::new);
        assertThat(CompletableFuture.allOf(puts)).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void largeRequestThatComesInPieces_isAnswered() {
        Map<String, AttributeValue> large =
                Map.of("par", AttributeValue.fromS("x"), "event", AttributeValue.fromS("y".repeat(300_000)));
        assertThat(CLIENT.putItem(r -> r.tableName("t").item(large))).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void otherOperations_areRefused() {
        assertThatThrownBy(() -> CLIENT.listTables().join())
                .hasCauseInstanceOf(DynamoDbException.class)
                .hasMessageContaining("does not know this operation");
    }

    @Test
    void headers_areFoundWhateverTheirCase() {
        String head =
                "POST / HTTP/1.1\r\nx-amz-target: DynamoDB_20120810.PutItem\r\nContent-Length-Not: 9\r\ncontent-length:5";
        assertThat(RequestDecoder.header(head, "X-Amz-Target", "")).isEqualTo("DynamoDB_20120810.PutItem");
        assertThat(RequestDecoder.header(head, "Content-Length", "0")).isEqualTo("5");
        assertThat(RequestDecoder.header(head, "Host", "none")).isEqualTo("none");
    }
}
