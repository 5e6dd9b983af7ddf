package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.Select;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The recorder: what it lists, and capacity by AWS's rules. */
final class RequestLogTest extends ProxyFixture {

    RequestLogTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
    }

    @Test
    void requests_listWhatCameInOrder() {
        put("a", 1).join();
        client.transactWriteItems(request ->
                        request.transactItems(transactPut(Tables.key("b", 1)), transactPut(Tables.key("c", 1))))
                .join();
        query("a");
        queryIndex();

        assertThat(proxy.requests().operations())
                .containsExactly("PutItem", "TransactWriteItems(2)", "Query", "Query[everything-idx]");
        List<RecordedRequest> requests = proxy.requests().requests();
        assertThat(requests).extracting(RecordedRequest::items).containsExactly(1, 2, 1, 0);
        assertThat(requests).extracting(RecordedRequest::status).containsOnly(200);
        assertThat(requests).allSatisfy(request -> assertThat(request.tables()).containsExactly(table));
        assertThat(requests.get(1).partitionKeys()).containsExactly("b", "c");
        assertThat(requests.get(2).partitionKeys()).containsExactly("a");
        assertThat(requests.get(3).index()).contains(Tables.EVERYTHING_INDEX);
    }

    @Test
    void since_listsOnlyWhatCameAfterTheMark() {
        put("a", 1).join();
        long mark = proxy.requests().mark();
        query("a");

        assertThat(proxy.requests().since(mark).operations()).containsExactly("Query");
        proxy.requests().clear();
        assertThat(proxy.requests().since(mark).operations()).isEmpty();
    }

    @Test
    void requests_whenThrottled_haveTheErrorAndCostNothing() {
        proxy.on(RequestMatch.any(), Fault.throttle(ThrottleCode.THROTTLING));

        put("a", 1).exceptionally(failure -> null).join();

        RecordedRequest request = proxy.requests().requests().get(0);
        assertThat(request.status()).isEqualTo(400);
        assertThat(request.errorCode()).isEqualTo("ThrottlingException");
        assertThat(request.capacity()).isEqualTo(Capacity.NONE);
    }

    @Test
    void put_newItem_costsItsKilobytesAndThoseOfItsIndexEntries() {
        putThrough(Tables.indexed("a", 1, 1500));

        assertThat(capacity()).isEqualTo(new Capacity(2, 2, 0));
    }

    @Test
    void put_inKeysOnlyIndex_entryCostsOnlyTheKeys() {
        putThrough(Map.of(
                "par",
                Tables.text("a"),
                "num",
                Tables.number(1),
                "bucket",
                Tables.text("b"),
                "event",
                Tables.binary(5000)));

        assertThat(capacity()).isEqualTo(new Capacity(5, 1, 0));
    }

    @Test
    void put_inLocalIndexOfKeys_entryCostsOnlyTheKeys() {
        String snapshots = table + "-snapshots";
        Tables.createWithLocalIndex(direct, snapshots);

        client.putItem(request -> request.tableName(snapshots)
                        .item(Map.of(
                                "par", Tables.text("a"),
                                "seq", Tables.number(1),
                                "ts", Tables.number(7),
                                "pay_data", Tables.binary(3000))))
                .join();
        client.putItem(request -> request.tableName(snapshots)
                        .item(Map.of(
                                "par", Tables.text("part"), "seq", Tables.number(0), "pay_data", Tables.binary(3000))))
                .join();

        assertThat(proxy.requests().table(snapshots).requests())
                .extracting(RecordedRequest::capacity)
                .containsExactly(new Capacity(3, 1, 0), new Capacity(3, 0, 0));
    }

    @Test
    void put_overALargerItem_costsTheLargerOne() {
        putDirectly(Tables.indexed("a", 1, 3000));

        putThrough(Tables.indexed("a", 1, 10));

        assertThat(capacity()).isEqualTo(new Capacity(3, 3, 0));
        assertThat(proxy.requests().operations()).containsExactly("PutItem");
    }

    @Test
    void put_whenTheIndexKeyMoves_costsTwoIndexWrites() {
        putDirectly(Tables.indexed("a", 1, 10));

        putThrough(Map.of("par", Tables.text("a"), "num", Tables.number(1), "shard", Tables.text("other")));

        assertThat(capacity()).isEqualTo(new Capacity(1, 2, 0));
    }

    @Test
    void put_whenTheIndexEntryStays_costsNoIndexWrite() {
        putDirectly(Tables.indexed("a", 1, 10));

        putThrough(Tables.indexed("a", 1, 10));

        assertThat(capacity()).isEqualTo(new Capacity(1, 0, 0));
    }

    @Test
    void put_whenItsConditionFails_costsTheExistingItem() {
        putDirectly(Tables.indexed("a", 1, 3000));

        failure(
                client.putItem(request -> request.tableName(table)
                        .item(Tables.key("a", 1))
                        .conditionExpression("attribute_not_exists(par)")),
                ConditionalCheckFailedException.class);

        assertThat(capacity()).isEqualTo(new Capacity(3, 0, 0));
    }

    @Test
    void put_whenItsConditionSaysThereIsNone_costsTheNewItem() {
        client.putItem(request -> request.tableName(table)
                        .item(Tables.indexed("a", 1, 1500))
                        .conditionExpression("attribute_not_exists(#par)")
                        .expressionAttributeNames(Map.of("#par", "par")))
                .join();

        assertThat(capacity()).isEqualTo(new Capacity(2, 2, 0));
    }

    @Test
    void update_costsTheLargerOfOldAndNew() {
        putDirectly(Tables.indexed("a", 1, 10));

        client.updateItem(request -> request.tableName(table)
                        .key(Tables.key("a", 1))
                        .updateExpression("SET event = :event")
                        .expressionAttributeValues(Map.of(":event", Tables.binary(2500))))
                .join();

        assertThat(capacity()).isEqualTo(new Capacity(3, 3, 0));
    }

    @Test
    void delete_costsTheDeletedItemAndItsIndexEntry() {
        putDirectly(Tables.indexed("a", 1, 2500));

        client.deleteItem(request -> request.tableName(table).key(Tables.key("a", 1)))
                .join();
        client.deleteItem(request -> request.tableName(table).key(Tables.key("a", 1)))
                .join();

        assertThat(proxy.requests().requests())
                .extracting(RecordedRequest::capacity)
                .containsExactly(new Capacity(3, 3, 0), new Capacity(1, 0, 0));
    }

    @Test
    void batchWrite_costsEachItem() {
        putDirectly(Tables.indexed("c", 3, 2500));
        WriteRequest delete = WriteRequest.builder()
                .deleteRequest(request -> request.key(Tables.key("c", 3)))
                .build();

        client.batchWriteItem(request -> request.requestItems(
                        batch(write(Tables.indexed("a", 1, 1500)), write(Tables.key("b", 2)), delete)))
                .join();

        assertThat(capacity()).isEqualTo(new Capacity(2 + 1 + 3, 2 + 3, 0));
    }

    @Test
    void transaction_costsTwiceForTheTableAndOnceForTheIndex() {
        client.transactWriteItems(request -> request.transactItems(
                        transactPut(Tables.indexed("a", 1, 1500)),
                        transactPut(Tables.key("b", 1)),
                        TransactWriteItem.builder()
                                .conditionCheck(check -> check.tableName(table)
                                        .key(Tables.key("c", 1))
                                        .conditionExpression("attribute_not_exists(par)"))
                                .build()))
                .join();

        assertThat(capacity()).isEqualTo(new Capacity(2 * (2 + 1 + 1), 2, 0));
    }

    @Test
    void transaction_whenCancelled_costsTheExistingItemsTwice() {
        putDirectly(Tables.indexed("a", 1, 1500));

        failure(
                client.transactWriteItems(request -> request.transactItems(
                        TransactWriteItem.builder()
                                .put(put -> put.tableName(table)
                                        .item(Tables.key("a", 1))
                                        .conditionExpression("attribute_not_exists(par)"))
                                .build(),
                        transactPut(Tables.key("b", 1)))),
                TransactionCanceledException.class);

        assertThat(capacity()).isEqualTo(new Capacity(2 * (2 + 1), 0, 0));
    }

    @Test
    void get_costsFourKilobyteUnitsAndHalfIfEventuallyConsistent() {
        putDirectly(Tables.indexed("a", 1, 5000));

        assertThat(readUnits(() -> client.getItem(
                                request -> request.tableName(table).key(Tables.key("a", 1)))
                        .join()))
                .isEqualTo(1);
        assertThat(readUnits(() -> client.getItem(request ->
                                request.tableName(table).key(Tables.key("a", 1)).consistentRead(true))
                        .join()))
                .isEqualTo(2);
        assertThat(readUnits(() -> client.getItem(
                                request -> request.tableName(table).key(Tables.key("none", 1)))
                        .join()))
                .isEqualTo(0.5);
        assertThat(readUnits(() -> client.getItem(request ->
                                request.tableName(table).key(Tables.key("a", 1)).projectionExpression("par"))
                        .join()))
                .isEqualTo(1);
    }

    @Test
    void query_costsTheSumOfItsItems() {
        putDirectly(Tables.indexed("a", 1, 2000));
        putDirectly(Tables.indexed("a", 2, 2000));
        putDirectly(Tables.indexed("a", 3, 2000));

        assertThat(readUnits(() -> query("a"))).isEqualTo(1);
        assertThat(readUnits(() -> query("none"))).isEqualTo(0.5);
        assertThat(readUnits(this::queryIndex)).isEqualTo(1);
    }

    @Test
    void query_whenSizesAreHidden_costsWhatWasReadAndTheClientSeesNoReport() {
        putDirectly(Tables.indexed("a", 1, 5000));

        assertThat(readUnits(() -> assertThat(client.query(request -> request.tableName(table)
                                        .select(Select.COUNT)
                                        .consistentRead(true)
                                        .keyConditionExpression("par = :par")
                                        .expressionAttributeValues(Map.of(":par", Tables.text("a"))))
                                .join()
                                .consumedCapacity())
                        .isNull()))
                .isEqualTo(2);
        assertThat(readUnits(() -> client.query(request -> request.tableName(table)
                                .projectionExpression("par")
                                .keyConditionExpression("par = :par")
                                .expressionAttributeValues(Map.of(":par", Tables.text("none"))))
                        .join()))
                .isEqualTo(0.5);
    }

    @Test
    void batchGet_costsEachItemAndOneUnitForAMissingOne() {
        putDirectly(Tables.indexed("a", 1, 5000));
        Map<String, KeysAndAttributes> keys = Map.of(
                table,
                KeysAndAttributes.builder()
                        .keys(List.of(Tables.key("a", 1), Tables.key("none", 1)))
                        .consistentRead(true)
                        .build());

        assertThat(readUnits(() -> client.batchGetItem(request -> request.requestItems(keys))
                        .join()))
                .isEqualTo(3);
    }

    @Test
    void batchGet_withAProjection_costsTheWholeItemsAndOneUnitForAMissingOne() {
        putDirectly(Tables.indexed("a", 1, 5000));
        Map<String, KeysAndAttributes> keys = Map.of(
                table,
                KeysAndAttributes.builder()
                        .keys(List.of(Tables.key("a", 1), Tables.key("none", 1)))
                        .projectionExpression("par")
                        .build());

        assertThat(readUnits(() -> client.batchGetItem(request -> request.requestItems(keys))
                        .join()))
                .isEqualTo(1.5);
    }

    @Test
    void transactGet_costsTwice() {
        putDirectly(Tables.indexed("a", 1, 5000));

        assertThat(readUnits(() -> client.transactGetItems(request -> request.transactItems(transactGet("a", 1)))
                        .join()))
                .isEqualTo(4);
    }

    @Test
    void transactGet_withAProjection_costsTheWholeItemsAndOneUnitForAMissingOne() {
        putDirectly(Tables.indexed("a", 1, 5000));
        TransactGetItem keyOnly = TransactGetItem.builder()
                .get(get -> get.tableName(table).key(Tables.key("a", 1)).projectionExpression("par"))
                .build();

        assertThat(readUnits(() -> client.transactGetItems(
                                request -> request.transactItems(keyOnly, transactGet("none", 1)))
                        .join()))
                .isEqualTo(2 * (2 + 1));
    }

    @Test
    void batchGet_whenTheBackendLeavesKeysUnprocessed_thoseCostNothing() {
        putDirectly(Tables.indexed("a", 1, 5000));
        putDirectly(Tables.indexed("b", 1, 5000));
        proxy.on(RequestMatch.operation("BatchGetItem"), Fault.unprocessed(1));
        Map<String, KeysAndAttributes> keys = Map.of(
                table,
                KeysAndAttributes.builder()
                        .keys(List.of(Tables.key("a", 1), Tables.key("none", 1), Tables.key("b", 1)))
                        .consistentRead(true)
                        .build());

        try (FaultProxy outer = FaultProxy.start(proxy.endpoint());
                DynamoDbAsyncClient through = outer.client()) {
            through.batchGetItem(request -> request.requestItems(keys)).join();

            assertThat(outer.requests().capacity()).isEqualTo(new Capacity(0, 0, 3));
        }
        assertThat(capacity()).isEqualTo(new Capacity(0, 0, 3));
    }

    @Test
    void transaction_whenRepeatedWithItsToken_costsReadingItsItems() {
        proxy.on(RequestMatch.operation("TransactWriteItems").times(1), Fault.resetAfter());
        TransactWriteItemsRequest transaction = TransactWriteItemsRequest.builder()
                .clientRequestToken("token")
                .transactItems(transactPut(Tables.indexed("a", 1, 5000)), transactPut(Tables.key("b", 1)))
                .build();

        failure(client.transactWriteItems(transaction), SdkClientException.class);
        client.transactWriteItems(transaction).join();

        assertThat(proxy.requests().requests())
                .extracting(RecordedRequest::capacity)
                .containsExactly(new Capacity(2 * (5 + 1), 5, 0), new Capacity(0, 0, 2 * (2 + 1)));
    }

    @Test
    void put_whenANumberIsSpeltDifferently_isTheSameItemAndTheSameIndexEntry() {
        putDirectly(Tables.indexed("a", 1, 3000));
        Map<String, AttributeValue> same = new HashMap<>(Tables.indexed("a", 1, 3000));
        same.put("num", AttributeValue.fromN("1.0"));

        putThrough(same);

        assertThat(capacity()).isEqualTo(new Capacity(3, 0, 0));
    }

    private void putThrough(Map<String, AttributeValue> item) {
        client.putItem(request -> request.tableName(table).item(item)).join();
    }

    private Capacity capacity() {
        return proxy.requests().capacity();
    }

    private double readUnits(Runnable call) {
        long mark = proxy.requests().mark();
        call.run();
        return proxy.requests().since(mark).capacity().readUnits();
    }
}
