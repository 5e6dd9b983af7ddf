package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Batches that are processed in part, and index entries that arrive late. */
final class FaultBatchAndIndexTest extends ProxyFixture {

    private static final WriteRequest ONE = write(Tables.key("a", 1));
    private static final WriteRequest TWO = write(Tables.key("b", 2));
    private static final WriteRequest THREE = WriteRequest.builder()
            .deleteRequest(delete -> delete.key(Tables.key("c", 3)))
            .build();

    FaultBatchAndIndexTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
    }

    @Test
    void unprocessed_all_nothingIsWrittenAndAllComesBack() {
        proxy.on(RequestMatch.operation("BatchWriteItem"), Fault.unprocessed());

        BatchWriteItemResponse answer = writeAll();

        assertThat(answer.unprocessedItems()).isEqualTo(batch(ONE, TWO, THREE));
        assertThat(isStored("a", 1)).isFalse();
        assertThat(proxy.requests().capacity()).isEqualTo(Capacity.NONE);
    }

    @Test
    void unprocessed_one_theOthersAreWritten() {
        proxy.on(RequestMatch.operation("BatchWriteItem"), Fault.unprocessed(1));

        BatchWriteItemResponse answer = writeAll();

        assertThat(answer.unprocessedItems()).isEqualTo(batch(THREE));
        assertThat(isStored("a", 1)).isTrue();
        assertThat(isStored("b", 2)).isTrue();
        assertThat(proxy.requests().capacity()).isEqualTo(new Capacity(2, 0, 0));
        assertThat(proxy.requests().operations()).containsExactly("BatchWriteItem(3)");
    }

    @Test
    void unprocessed_thenResetAfter_theOthersAreWrittenAndTheAnswerIsLost() {
        proxy.on(RequestMatch.operation("BatchWriteItem"), Fault.unprocessed(2).then(Fault.resetAfter()));

        failure(
                client.batchWriteItem(request -> request.requestItems(batch(ONE, TWO, THREE))),
                SdkClientException.class);

        assertThat(isStored("a", 1)).isTrue();
        assertThat(isStored("b", 2)).isFalse();
    }

    @Test
    void unprocessed_twice_bothPartsComeBack() {
        proxy.on(RequestMatch.operation("BatchWriteItem"), Fault.unprocessed(1).then(Fault.unprocessed(1)));

        BatchWriteItemResponse answer = writeAll();

        assertThat(answer.unprocessedItems().get(table)).containsExactlyInAnyOrder(TWO, THREE);
        assertThat(isStored("a", 1)).isTrue();
    }

    @Test
    void unprocessedIf_keyIsAccepted_onlyThatOneComesBack() {
        proxy.on(
                RequestMatch.operation("BatchWriteItem"),
                Fault.unprocessedIf(attributes -> Tables.text("a").equals(attributes.get("par"))));

        BatchWriteItemResponse answer = writeAll();

        assertThat(answer.unprocessedItems()).isEqualTo(batch(ONE));
        assertThat(isStored("a", 1)).isFalse();
        assertThat(isStored("b", 2)).isTrue();
    }

    @Test
    void unprocessedIf_keysOfABatchGet_theOthersAreRead() {
        putDirectly(Tables.key("a", 1));
        putDirectly(Tables.key("b", 2));
        proxy.on(
                RequestMatch.operation("BatchGetItem"),
                Fault.unprocessedIf(key -> Tables.text("a").equals(key.get("par"))));

        BatchGetItemResponse answer = readBoth();

        assertThat(answer.responses()).isEqualTo(Map.of(table, List.of(Tables.key("b", 2))));
        assertThat(answer.unprocessedKeys())
                .isEqualTo(Map.of(
                        table,
                        KeysAndAttributes.builder()
                                .keys(List.of(Tables.key("a", 1)))
                                .consistentRead(true)
                                .build()));
    }

    @Test
    void unprocessed_allKeysOfABatchGet_clientCanAskAgainWithThem() {
        putDirectly(Tables.key("a", 1));
        putDirectly(Tables.key("b", 2));
        proxy.on(RequestMatch.operation("BatchGetItem").times(1), Fault.unprocessed());

        BatchGetItemResponse refused = readBoth();
        BatchGetItemResponse answer = client.batchGetItem(request -> request.requestItems(refused.unprocessedKeys()))
                .join();

        assertThat(refused.responses()).isEmpty();
        assertThat(answer.responses().get(table)).containsExactlyInAnyOrder(Tables.key("a", 1), Tables.key("b", 2));
        assertThat(answer.unprocessedKeys()).isEmpty();
    }

    @Test
    void hideFromIndex_untilRemoved_entryIsMissingFromIndexButNotFromTable() {
        putDirectly(Tables.indexed("a", 1, 10));
        putDirectly(Tables.indexed("b", 2, 10));
        FaultRule rule = proxy.on(
                RequestMatch.operation("Query").index(Tables.EVERYTHING_INDEX),
                Fault.hideFromIndex(item -> Tables.text("a").equals(item.get("par"))));

        QueryResponse before = queryIndex();
        int inTable = query("a").count();
        rule.remove();

        assertThat(before.items()).containsExactly(Tables.indexed("b", 2, 10));
        assertThat(before.count()).isEqualTo(1);
        assertThat(before.scannedCount()).isEqualTo(1);
        assertThat(inTable).isEqualTo(1);
        assertThat(queryIndex().count()).isEqualTo(2);
        assertThat(rule.hits()).isEqualTo(1);
    }

    private BatchWriteItemResponse writeAll() {
        return client.batchWriteItem(request -> request.requestItems(batch(ONE, TWO, THREE)))
                .join();
    }

    private BatchGetItemResponse readBoth() {
        return client.batchGetItem(request -> request.requestItems(Map.of(
                        table,
                        KeysAndAttributes.builder()
                                .keys(List.of(Tables.key("a", 1), Tables.key("b", 2)))
                                .consistentRead(true)
                                .build())))
                .join();
    }
}
