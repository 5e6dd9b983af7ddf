package io.varve.store.internal.client;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.CreateTableResponse;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeContinuousBackupsRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeContinuousBackupsResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveResponse;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateContinuousBackupsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateContinuousBackupsResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateTimeToLiveRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateTimeToLiveResponse;
import software.amazon.awssdk.utils.builder.SdkBuilder;

/** An operation of DynamoDB, and what the gateway must know of it. */
public final class Call<Q extends DynamoDbRequest, R extends DynamoDbResponse> {
    public static final Call<GetItemRequest, GetItemResponse> GET_ITEM = new Call<GetItemRequest, GetItemResponse>(
                    "GetItem", DynamoDbAsyncClient::getItem, GetItemRequest::tableName)
            .capacity(
                    GetItemRequest::toBuilder,
                    GetItemRequest.Builder::returnConsumedCapacity,
                    r -> one(r.consumedCapacity()));

    public static final Call<QueryRequest, QueryResponse> QUERY = new Call<QueryRequest, QueryResponse>(
                    "Query", DynamoDbAsyncClient::query, QueryRequest::tableName)
            .capacity(
                    QueryRequest::toBuilder,
                    QueryRequest.Builder::returnConsumedCapacity,
                    r -> one(r.consumedCapacity()));

    public static final Call<ScanRequest, ScanResponse> SCAN = new Call<ScanRequest, ScanResponse>(
                    "Scan", DynamoDbAsyncClient::scan, ScanRequest::tableName)
            .capacity(
                    ScanRequest::toBuilder,
                    ScanRequest.Builder::returnConsumedCapacity,
                    r -> one(r.consumedCapacity()));

    static final Call<PutItemRequest, PutItemResponse> PUT_ITEM = new Call<PutItemRequest, PutItemResponse>(
                    "PutItem", DynamoDbAsyncClient::putItem, PutItemRequest::tableName)
            .capacity(
                    PutItemRequest::toBuilder,
                    PutItemRequest.Builder::returnConsumedCapacity,
                    r -> one(r.consumedCapacity()));

    static final Call<UpdateItemRequest, UpdateItemResponse> UPDATE_ITEM = new Call<
                    UpdateItemRequest, UpdateItemResponse>(
                    "UpdateItem", DynamoDbAsyncClient::updateItem, UpdateItemRequest::tableName)
            .capacity(
                    UpdateItemRequest::toBuilder,
                    UpdateItemRequest.Builder::returnConsumedCapacity,
                    r -> one(r.consumedCapacity()));

    static final Call<DeleteItemRequest, DeleteItemResponse> DELETE_ITEM = new Call<
                    DeleteItemRequest, DeleteItemResponse>(
                    "DeleteItem", DynamoDbAsyncClient::deleteItem, DeleteItemRequest::tableName)
            .capacity(
                    DeleteItemRequest::toBuilder,
                    DeleteItemRequest.Builder::returnConsumedCapacity,
                    r -> one(r.consumedCapacity()));

    static final Call<TransactWriteItemsRequest, TransactWriteItemsResponse> TRANSACT_WRITE_ITEMS = new Call<
                    TransactWriteItemsRequest, TransactWriteItemsResponse>(
                    "TransactWriteItems", DynamoDbAsyncClient::transactWriteItems, r -> tableOf(r.transactItems()))
            .items(r -> r.transactItems().size())
            .capacity(
                    TransactWriteItemsRequest::toBuilder,
                    TransactWriteItemsRequest.Builder::returnConsumedCapacity,
                    TransactWriteItemsResponse::consumedCapacity);

    static final Call<BatchWriteItemRequest, BatchWriteItemResponse> BATCH_WRITE_ITEM = new Call<
                    BatchWriteItemRequest, BatchWriteItemResponse>(
                    "BatchWriteItem",
                    DynamoDbAsyncClient::batchWriteItem,
                    r -> first(r.requestItems().keySet()))
            .items(r -> r.requestItems().values().stream().mapToInt(List::size).sum())
            .capacity(
                    BatchWriteItemRequest::toBuilder,
                    BatchWriteItemRequest.Builder::returnConsumedCapacity,
                    BatchWriteItemResponse::consumedCapacity);

    static final Call<BatchGetItemRequest, BatchGetItemResponse> BATCH_GET_ITEM = new Call<
                    BatchGetItemRequest, BatchGetItemResponse>(
                    "BatchGetItem",
                    DynamoDbAsyncClient::batchGetItem,
                    r -> first(r.requestItems().keySet()))
            .items(r -> r.requestItems().values().stream()
                    .mapToInt(k -> k.keys().size())
                    .sum())
            .capacity(
                    BatchGetItemRequest::toBuilder,
                    BatchGetItemRequest.Builder::returnConsumedCapacity,
                    BatchGetItemResponse::consumedCapacity);

    public static final Call<CreateTableRequest, CreateTableResponse> CREATE_TABLE =
            new Call<>("CreateTable", DynamoDbAsyncClient::createTable, CreateTableRequest::tableName);
    public static final Call<DescribeTableRequest, DescribeTableResponse> DESCRIBE_TABLE =
            new Call<>("DescribeTable", DynamoDbAsyncClient::describeTable, DescribeTableRequest::tableName);
    public static final Call<UpdateTimeToLiveRequest, UpdateTimeToLiveResponse> UPDATE_TIME_TO_LIVE =
            new Call<>("UpdateTimeToLive", DynamoDbAsyncClient::updateTimeToLive, UpdateTimeToLiveRequest::tableName);
    public static final Call<DescribeTimeToLiveRequest, DescribeTimeToLiveResponse> DESCRIBE_TIME_TO_LIVE = new Call<>(
            "DescribeTimeToLive", DynamoDbAsyncClient::describeTimeToLive, DescribeTimeToLiveRequest::tableName);
    public static final Call<UpdateContinuousBackupsRequest, UpdateContinuousBackupsResponse>
            UPDATE_CONTINUOUS_BACKUPS = new Call<>(
                    "UpdateContinuousBackups",
                    DynamoDbAsyncClient::updateContinuousBackups,
                    UpdateContinuousBackupsRequest::tableName);
    public static final Call<DescribeContinuousBackupsRequest, DescribeContinuousBackupsResponse>
            DESCRIBE_CONTINUOUS_BACKUPS = new Call<>(
                    "DescribeContinuousBackups",
                    DynamoDbAsyncClient::describeContinuousBackups,
                    DescribeContinuousBackupsRequest::tableName);

    private final String name;
    private final BiFunction<DynamoDbAsyncClient, Q, CompletableFuture<R>> send;
    private final Function<Q, String> table;
    private ToIntFunction<Q> items = request -> 1;
    private UnaryOperator<Q> askForCapacity = UnaryOperator.identity();
    private Function<R, List<ConsumedCapacity>> capacity = response -> List.of();

    private Call(
            String name, BiFunction<DynamoDbAsyncClient, Q, CompletableFuture<R>> send, Function<Q, String> table) {
        this.name = name;
        this.send = send;
        this.table = table;
    }

    private Call<Q, R> items(ToIntFunction<Q> count) {
        this.items = count;
        return this;
    }

    private <B extends SdkBuilder<B, Q>> Call<Q, R> capacity(
            Function<Q, B> builder,
            BiFunction<B, ReturnConsumedCapacity, B> ask,
            Function<R, List<ConsumedCapacity>> read) {
        this.askForCapacity = request ->
                ask.apply(builder.apply(request), ReturnConsumedCapacity.TOTAL).build();
        this.capacity = read;
        return this;
    }

    /** The operation's name, as DynamoDB spells it. */
    public String name() {
        return name;
    }

    CompletableFuture<R> send(DynamoDbAsyncClient client, Q request) {
        return send.apply(client, request);
    }

    String table(Q request) {
        return table.apply(request);
    }

    int items(Q request) {
        return items.applyAsInt(request);
    }

    Q askingForCapacity(Q request) {
        return askForCapacity.apply(request);
    }

    double capacityUnits(R response) {
        return capacity.apply(response).stream()
                .mapToDouble(c -> c.capacityUnits() == null ? 0 : c.capacityUnits())
                .sum();
    }

    private static List<ConsumedCapacity> one(ConsumedCapacity consumed) {
        return consumed == null ? List.of() : List.of(consumed);
    }

    private static String first(Collection<String> tables) {
        return tables.isEmpty() ? "" : tables.iterator().next();
    }

    private static String tableOf(List<TransactWriteItem> actions) {
        if (actions.isEmpty()) {
            return "";
        }
        TransactWriteItem action = actions.get(0);
        if (action.put() != null) {
            return action.put().tableName();
        }
        if (action.delete() != null) {
            return action.delete().tableName();
        }
        return action.update() != null
                ? action.update().tableName()
                : action.conditionCheck().tableName();
    }
}
