package io.varve.store.engine;

import static io.varve.store.engine.EngineTable.indexed;
import static io.varve.store.engine.EngineTable.item;
import static io.varve.store.engine.EngineTable.key;
import static io.varve.store.engine.EngineTable.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.Capacity;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.internal.engine.DynamoDBEngine;
import io.varve.testkit.internal.engine.EngineDifference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** What requests cost by the testkit's arithmetic, and by the engine: both as AWS says, or different by name. */
abstract class EngineCapacityContract {
    private final TestEngine engine;
    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final EngineTable direct;
    private final EngineTable table;
    private final List<Capacity> reported = new ArrayList<>();

    EngineCapacityContract(DynamoDBEngine engine) {
        this.engine = TestEngine.of(engine);
        this.proxy = FaultProxy.start(this.engine.endpoint());
        this.client = proxy.client();
        this.direct = EngineTable.create(this.engine.client());
        this.table = direct.through(client);
        proxy.on(RequestMatch.any(), Fault.reportCapacity((request, capacity) -> reported.add(capacity)));
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    /** What is right, and what the engine says where it differs. */
    private void costs(Capacity expected, EngineDifference difference, Capacity different, Runnable request) {
        reported.clear();
        proxy.requests().clear();
        request.run();
        assertThat(proxy.requests().capacity()).as("by the testkit").isEqualTo(expected);
        assertThat(reported).as("by the engine").containsExactly(engine.differs(difference) ? different : expected);
    }

    private void costs(Capacity expected, Runnable request) {
        reported.clear();
        proxy.requests().clear();
        request.run();
        assertThat(proxy.requests().capacity()).as("by the testkit").isEqualTo(expected);
        assertThat(reported).as("by the engine").containsExactly(expected);
    }

    private static Capacity read(double units) {
        return new Capacity(0, 0, units);
    }

    private static Capacity write(double units, double index) {
        return new Capacity(units, index, 0);
    }

    @Test
    void puts_costTheLargerOfOldAndNewItem() {
        costs(write(1, 0), () -> table.put(item("a", 1, 1)));
        costs(write(1, 0), () -> table.put(item("a", 1, 1024 - EngineTable.REST)));
        costs(write(2, 0), () -> table.put(item("a", 1, 1025 - EngineTable.REST)));
        costs(write(5, 0), () -> table.put(item("a", 1, 5000)));
        costs(write(5, 0), () -> table.put(item("a", 1, 1)));
    }

    @Test
    void indexEntries_costTheirChange() {
        costs(write(1, 1), () -> table.put(indexed("a", 1, "n", "k")));
        costs(write(1, 0), () -> table.put(indexed("a", 1, "n", "k")));
        costs(write(1, 2), () -> table.put(indexed("a", 1, "n", "l")));
        costs(write(1, 1), () -> table.put(item("a", 1, 1)));
    }

    @Test
    void batches_costTheSumOfTheirItems() {
        costs(write(4, 1), () -> table.batch(List.of(item("a", 1, 3000 - 24), indexed("a", 2, "n", "k"))));
        List<WriteRequest> deletions = List.of(delete("a", 1), delete("none", 1));
        costs(
                write(4, 0),
                EngineDifference.OVERHEAD_COUNTED,
                write(5, 0),
                () -> client.batchWriteItem(request -> request.requestItems(Map.of(table.name(), deletions)))
                        .join());
    }

    private static WriteRequest delete(String partition, int number) {
        return WriteRequest.builder()
                .deleteRequest(delete -> delete.key(key(partition, number)))
                .build();
    }

    @Test
    void transactions_costTwiceForEachItem_andOnceForIndexEntries() {
        direct.put(item("a", 1, 1));
        TransactWriteItem check = TransactWriteItem.builder()
                .conditionCheck(item ->
                        item.tableName(table.name()).key(key("a", 1)).conditionExpression("attribute_exists(par)"))
                .build();
        EngineDifference once = EngineDifference.TRANSACTIONS_COUNTED_AS_A_WHOLE;
        costs(write(4, 0), once, write(2, 0), () -> table.transact(check, table.putAction(item("a", 2, 1))));
        costs(
                write(8, 0),
                once,
                write(6, 0),
                () -> table.transact(
                        table.putAction(item("a", 3, 1)),
                        table.putAction(item("a", 4, 1)),
                        table.putAction(item("a", 5, 1500))));
        costs(write(2, 1), once, write(2, 2), () -> table.transact(table.putAction(indexed("a", 6, "n", "k"))));
    }

    @Test
    void repeatedTransaction_costsReadingItsItems() {
        Runnable transaction = () -> client.transactWriteItems(request ->
                        request.transactItems(table.putAction(item("a", 1, 1))).clientRequestToken(table.token()))
                .join();
        costs(write(2, 0), transaction);
        costs(read(2), EngineDifference.REPEATED_TRANSACTION_COUNTED_AS_WRITE, write(2, 0), transaction);
    }

    @Test
    void reads_costWhatTheyRead_andSomethingIfThereIsNothing() {
        direct.put(item("a", 1, 5000));
        costs(read(2), () -> table.get("a", 1));
        costs(read(1), () -> table.get("none", 1));
        costs(read(2), () -> client.query(table.query("a").build()).join());
        EngineDifference free = EngineDifference.NOTHING_FOUND_IS_FREE;
        costs(
                read(1),
                free,
                read(0),
                () -> client.query(table.query("none").build()).join());
        KeysAndAttributes keys = KeysAndAttributes.builder()
                .keys(List.of(key("a", 1), key("none", 1)))
                .build();
        costs(
                read(1.5),
                free,
                read(1),
                () -> client.batchGetItem(request -> request.requestItems(Map.of(table.name(), keys)))
                        .join());
    }

    @Test
    void projections_filtersAndCounts_costAllThatIsRead() {
        direct.put(item("a", 1, 5000));
        costs(
                read(1),
                EngineDifference.PROJECTION_LOWERS_COST,
                read(0.5),
                () -> client.getItem(get ->
                                get.tableName(table.name()).key(key("a", 1)).projectionExpression("num"))
                        .join());
        costs(
                read(2),
                () -> client.query(table.query("a").projectionExpression("num").build())
                        .join());
        costs(
                read(2),
                () -> client.query(table.query("a").select("COUNT").build()).join());
        costs(
                read(2),
                () -> client.query(table.query("a")
                                .filterExpression("pay = :pay")
                                .expressionAttributeValues(Map.of(":par", text("a"), ":pay", text("none")))
                                .build())
                        .join());
    }
}
