package io.varve.store.engine;

import static io.varve.store.engine.EngineTable.indexed;
import static io.varve.store.engine.EngineTable.item;
import static io.varve.store.engine.EngineTable.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.internal.capacity.ItemBytes;
import io.varve.testkit.internal.engine.DynamoDBEngine;
import io.varve.testkit.internal.engine.EngineDifference;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Sizes at the limit, and words that are no names. */
abstract class EngineLimitsContract {
    private static final String REFUSED = "ValidationException";
    private static final int LARGEST = 400 * 1024 - EngineTable.REST;

    private final TestEngine engine;
    private final DynamoDbAsyncClient client;
    private final EngineTable table;

    EngineLimitsContract(DynamoDBEngine engine) {
        this.engine = TestEngine.of(engine);
        this.client = this.engine.client();
        this.table = EngineTable.create(client);
    }

    private String put(String partition, int payload) {
        return TestEngine.errorOf(() -> table.put(item(partition, 1, payload)));
    }

    @Test
    void itemOf400Kilobytes_isTaken_andAByteMoreIsRefused() {
        assertThat(ItemBytes.of(item("a", 1, LARGEST))).isEqualTo(400 * 1024);
        assertThat(put("a", LARGEST)).isEqualTo("none");
        assertThat(put("a", LARGEST + 1)).isEqualTo(REFUSED);
    }

    @Test
    void sameLimit_inTransactionsAndBatches() {
        table.transact(table.putAction(item("a", 1, LARGEST)));
        table.batch(List.of(item("a", 2, LARGEST)));
        assertThat(TestEngine.errorOf(() -> table.transact(table.putAction(item("a", 1, LARGEST + 1)))))
                .isEqualTo(REFUSED);
        assertThat(TestEngine.errorOf(() -> table.batch(List.of(item("a", 2, LARGEST + 1)))))
                .isEqualTo(REFUSED);
    }

    @Test
    void transactionOfMoreThanFourMegabytes_isRefused() {
        TransactWriteItem[] actions = IntStream.range(0, 11)
                .mapToObj(number -> table.putAction(item("a", number, 390 * 1024)))
                .toArray(TransactWriteItem[]::new);
        assertThat(TestEngine.errorOf(() -> table.transact(actions))).isEqualTo(REFUSED);
    }

    @Test
    void partitionKeyOf2048Bytes_isTaken_andAByteMoreIsRefused() {
        assertThat(put("ü".repeat(1024), 1)).isEqualTo("none");
        assertThat(put("p".repeat(2049), 1)).isEqualTo(REFUSED);
        assertThat(put("", 1)).isEqualTo(REFUSED);
    }

    @Test
    void indexKeys_haveTheLimitsOfKeys() {
        String tooLong = engine.differs(EngineDifference.LONG_INDEX_KEYS_ACCEPTED) ? "none" : REFUSED;
        assertThat(index("n".repeat(2048), "k".repeat(1024))).isEqualTo("none");
        assertThat(index("n".repeat(2049), "k")).isEqualTo(tooLong);
        assertThat(index("n", "k".repeat(1025))).isEqualTo(tooLong);
        assertThat(index("", "k")).isEqualTo(REFUSED);
    }

    private String index(String name, String kind) {
        return TestEngine.errorOf(() -> table.put(indexed("a", 1, name, kind)));
    }

    @Test
    void reservedWords_areNoNames() {
        for (String word : List.of("shard", "name", "timestamp", "offset", "ttl", "state", "counter", "sequence")) {
            assertThat(condition(word)).as(word).isEqualTo(REFUSED);
        }
        assertThat(condition("size")).isEqualTo(engine.differs(EngineDifference.SIZE_NOT_RESERVED) ? "none" : REFUSED);
        for (String name :
                List.of("par", "num", "seq", "ts", "idx", "cnt", "event", "meta", "tags", "expiry", "slice")) {
            assertThat(condition(name)).as(name).isEqualTo("none");
        }
    }

    private String condition(String name) {
        return TestEngine.errorOf(() -> client.deleteItem(delete -> delete.tableName(table.name())
                        .key(key("none", 1))
                        .conditionExpression("attribute_not_exists(" + name + ")"))
                .join());
    }

    @Test
    void timeToLive_cannotBeSwitchedOnTwice() {
        assertThat(timeToLive()).isEqualTo("none");
        assertThat(timeToLive()).isEqualTo(engine.differs(EngineDifference.TIME_TO_LIVE_TWICE) ? "none" : REFUSED);
    }

    private String timeToLive() {
        return TestEngine.errorOf(() -> client.updateTimeToLive(update -> update.tableName(table.name())
                        .timeToLiveSpecification(on -> on.enabled(true).attributeName("expiry")))
                .join());
    }
}
