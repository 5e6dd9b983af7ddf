package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** A table, a client through the proxy and one around it. */
@DynamoDBTest
abstract class ProxyFixture {

    final DynamoDbAsyncClient direct;
    final FaultProxy proxy;
    final String table;
    final DynamoDbAsyncClient client;

    ProxyFixture(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.direct = direct;
        this.proxy = proxy;
        this.table = names.journal();
        this.client = proxy.client();
    }

    @BeforeEach
    final void createTable() {
        Tables.create(direct, table);
    }

    @AfterEach
    final void closeClient() {
        client.close();
    }

    final CompletableFuture<?> put(String par, int num) {
        return client.putItem(Tables.put(table, par, num));
    }

    final boolean isStored(String par, int num) {
        return direct.getItem(request ->
                        request.tableName(table).key(Tables.key(par, num)).consistentRead(true))
                .join()
                .hasItem();
    }

    final <E extends Throwable> E failure(CompletableFuture<?> call, Class<E> type) {
        Throwable[] found = new Throwable[1];
        assertThatThrownBy(call::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(type)
                .satisfies(cause -> found[0] = cause);
        return type.cast(found[0]);
    }

    final QueryResponse query(String par) {
        return client.query(request -> request.tableName(table)
                        .keyConditionExpression("#par = :par")
                        .expressionAttributeNames(Map.of("#par", "par"))
                        .expressionAttributeValues(Map.of(":par", Tables.text(par))))
                .join();
    }

    final QueryResponse queryIndex() {
        return client.query(request -> request.tableName(table)
                        .indexName(Tables.EVERYTHING_INDEX)
                        .keyConditionExpression("#shard = :shard")
                        .expressionAttributeNames(Map.of("#shard", "shard"))
                        .expressionAttributeValues(Map.of(":shard", Tables.text("s"))))
                .join();
    }

    final void putDirectly(Map<String, AttributeValue> item) {
        direct.putItem(request -> request.tableName(table).item(item)).join();
    }

    final TransactWriteItem transactPut(Map<String, AttributeValue> item) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName(table).item(item))
                .build();
    }

    final TransactGetItem transactGet(String par, int num) {
        return TransactGetItem.builder()
                .get(get -> get.tableName(table).key(Tables.key(par, num)))
                .build();
    }

    final Map<String, List<WriteRequest>> batch(WriteRequest... writes) {
        return Map.of(table, List.of(writes));
    }

    static WriteRequest write(Map<String, AttributeValue> item) {
        return WriteRequest.builder().putRequest(put -> put.item(item)).build();
    }
}
