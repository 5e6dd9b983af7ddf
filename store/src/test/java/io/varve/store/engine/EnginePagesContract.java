package io.varve.store.engine;

import static io.varve.store.engine.EngineTable.indexed;
import static io.varve.store.engine.EngineTable.item;
import static io.varve.store.engine.EngineTable.key;
import static io.varve.store.engine.EngineTable.text;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.internal.engine.DynamoDBEngine;
import io.varve.testkit.internal.engine.EngineDifference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;

/** Pages by limit and by size, from the table and from an index, and projections. */
abstract class EnginePagesContract {
    private static final int MEGABYTE = 1024 * 1024;

    private final TestEngine engine;
    private final DynamoDbAsyncClient client;
    private final EngineTable table;

    EnginePagesContract(DynamoDBEngine engine) {
        this.engine = TestEngine.of(engine);
        this.client = this.engine.client();
        this.table = EngineTable.create(client);
    }

    /** The numbers of all pages; an empty page may come last, because the end of a page may be the end of everything. */
    private List<List<Integer>> pages(QueryRequest first) {
        List<List<Integer>> pages = new ArrayList<>();
        QueryRequest request = first;
        while (true) {
            QueryResponse page = client.query(request).join();
            pages.add(page.items().stream()
                    .map(item ->
                            Integer.parseInt(requireNonNull(item.get("num")).n()))
                    .toList());
            if (!page.hasLastEvaluatedKey()) {
                return pages;
            }
            request =
                    first.toBuilder().exclusiveStartKey(page.lastEvaluatedKey()).build();
        }
    }

    private void fill(int items, int payload) {
        for (int number = 0; number < items; number++) {
            table.put(item("a", number, payload));
        }
    }

    @Test
    void limit_endsPagesThere_andTheLastMayBeEmpty() {
        fill(6, 1);
        List<List<Integer>> pages = pages(table.query("a").limit(2).build());
        assertThat(pages.subList(0, 3)).containsExactly(List.of(0, 1), List.of(2, 3), List.of(4, 5));
        assertThat(pages.subList(3, pages.size())).isSubsetOf(List.of(List.of()));
        assertThat(pages(table.query("a").limit(4).scanIndexForward(false).build()))
                .containsExactly(List.of(5, 4, 3, 2), List.of(1, 0));
    }

    @Test
    void limitAtTheEndOfTheRange_endsIt() {
        fill(6, 1);
        QueryRequest.Builder range = table.query("a")
                .keyConditionExpression("par = :par AND num BETWEEN :from AND :to")
                .expressionAttributeValues(Map.of(
                        ":par", text("a"), ":from", AttributeValue.fromN("1"), ":to", AttributeValue.fromN("3")));
        List<List<Integer>> pages = pages(range.limit(3).build());
        assertThat(pages.get(0)).containsExactly(1, 2, 3);
        assertThat(pages.subList(1, pages.size())).isSubsetOf(List.of(List.of()));
    }

    @Test
    void pagesOfAMegabyte_haveEverythingOnceInOrder() {
        fill(5, 390 * 1024);
        List<List<Integer>> pages = pages(table.query("a").build());
        assertThat(pages).hasSizeBetween(2, 3);
        assertThat(pages.stream().flatMap(List::stream)).containsExactly(0, 1, 2, 3, 4);
        assertThat(pages.get(0).size() * 390 * 1024).isLessThan(MEGABYTE + 390 * 1024);
    }

    @Test
    void filter_doesNotMakePagesLarger() {
        fill(4, 390 * 1024);
        QueryResponse page = client.query(table.query("a")
                        .filterExpression("pay = :pay")
                        .expressionAttributeValues(Map.of(":par", text("a"), ":pay", text("none")))
                        .build())
                .join();
        assertThat(page.items()).isEmpty();
        assertThat(page.hasLastEvaluatedKey()).isNotEqualTo(engine.differs(EngineDifference.FILTER_LIFTS_PAGE_LIMIT));
    }

    @Test
    void keyThatIsNotStored_isAPlaceToStart_ifItIsWithinTheRange() {
        fill(6, 1);
        assertThat(pages(table.query("a").exclusiveStartKey(key("a", 100)).build()))
                .containsExactly(List.of());
        QueryRequest.Builder range = table.query("a")
                .keyConditionExpression("par = :par AND num > :from")
                .expressionAttributeValues(Map.of(":par", text("a"), ":from", AttributeValue.fromN("3")));
        assertThat(TestEngine.errorOf(
                        () -> client.query(range.exclusiveStartKey(key("a", 1)).build())
                                .join()))
                .isEqualTo(engine.differs(EngineDifference.START_KEY_NOT_CHECKED) ? "none" : "ValidationException");
    }

    @Test
    void indexEntriesWithTheSameKey_comeOnceEach() {
        IntStream.range(0, 7).forEach(number -> table.put(indexed("a", number, "n", "k")));
        List<List<Integer>> pages = pages(QueryRequest.builder()
                .tableName(table.name())
                .indexName(EngineTable.INDEX)
                .keyConditionExpression("name_ = :name")
                .expressionAttributeValues(Map.of(":name", text("n")))
                .limit(3)
                .build());
        assertThat(pages.stream().flatMap(List::stream)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6);
    }

    @Test
    void projection_bringsWhatItNames() {
        table.put(item("a", 1, 1));
        assertThat(client.getItem(get ->
                                get.tableName(table.name()).key(key("a", 1)).projectionExpression("pay"))
                        .join()
                        .item())
                .containsOnlyKeys("pay");
        TransactGetItem get = TransactGetItem.builder()
                .get(one -> one.tableName(table.name()).key(key("a", 1)).projectionExpression("pay"))
                .build();
        assertThat(client.transactGetItems(request -> request.transactItems(get))
                        .join()
                        .responses()
                        .get(0)
                        .item())
                .containsOnlyKeys(
                        engine.differs(EngineDifference.PROJECTION_IN_TRANSACTION_BRINGS_KEYS)
                                ? new String[] {"pay", "par", "num"}
                                : new String[] {"pay"});
    }
}
