package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.testkit.internal.engine.PlainClient;
import io.varve.testkit.internal.request.ParsedRequest;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.ComparisonOperator;
import software.amazon.awssdk.services.dynamodb.model.Condition;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;

/** Which requests meet a rule. */
final class RequestMatchTest extends ProxyFixture {

    private static final Fault FAULT = Fault.throttle(ThrottleCode.THROTTLING);

    RequestMatchTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
    }

    @Test
    void operation_otherOperationsPass() {
        proxy.on(RequestMatch.operation("GetItem", "DeleteItem"), FAULT);

        assertThat(succeeds(client, 1)).isTrue();
    }

    @Test
    void table_otherTablesPass() {
        FaultRule rule = proxy.on(RequestMatch.any().table(table + "-other"), FAULT);

        assertThat(succeeds(client, 1)).isTrue();
        assertThat(rule.hits()).isZero();
    }

    @Test
    void key_isFoundInEveryKindOfRequest() {
        FaultRule rule = proxy.on(RequestMatch.any().table(table).key("hit"), Fault.runBefore(request -> {}));
        Map<String, KeysAndAttributes> keys = Map.of(
                table,
                KeysAndAttributes.builder()
                        .keys(List.of(Tables.key("miss", 1), Tables.key("hit", 1)))
                        .build());

        put("hit", 1).join();
        client.getItem(request -> request.tableName(table).key(Tables.key("hit", 1)))
                .join();
        client.updateItem(request ->
                        request.tableName(table).key(Tables.key("hit", 1)).updateExpression("REMOVE absent"))
                .join();
        client.batchGetItem(request -> request.requestItems(keys)).join();
        client.batchWriteItem(request ->
                        request.requestItems(batch(write(Tables.key("miss", 1)), write(Tables.key("hit", 2)))))
                .join();
        client.transactWriteItems(request ->
                        request.transactItems(transactPut(Tables.key("miss", 3)), transactPut(Tables.key("hit", 3))))
                .join();
        client.transactGetItems(request -> request.transactItems(transactGet("hit", 1)))
                .join();
        query("hit");
        client.query(request -> request.tableName(table)
                        .keyConditions(Map.of(
                                "par",
                                Condition.builder()
                                        .comparisonOperator(ComparisonOperator.EQ)
                                        .attributeValueList(Tables.text("hit"))
                                        .build())))
                .join();
        client.deleteItem(request -> request.tableName(table).key(Tables.key("hit", 1)))
                .join();
        assertThat(rule.hits()).isEqualTo(10);

        put("miss", 1).join();
        query("miss");
        assertThat(rule.hits()).isEqualTo(10);
    }

    @Test
    void keyPrefix_matchesOnlyKeysThatStartLikeIt() {
        FaultRule rule =
                proxy.on(RequestMatch.operation("PutItem").keyPrefix("journal-P-a-"), Fault.runBefore(r -> {}));

        put("journal-P-a-0", 1).join();
        put("journal-P-b-0", 1).join();

        assertThat(rule.hits()).isEqualTo(1);
    }

    @Test
    void where_seesTheWholeRequest() {
        FaultRule rule = proxy.on(
                RequestMatch.any().where(request -> request.items() == 1 && !request.consistentRead()),
                Fault.runBefore(request -> {}));

        client.getItem(request ->
                        request.tableName(table).key(Tables.key("a", 1)).consistentRead(true))
                .join();
        client.getItem(request -> request.tableName(table).key(Tables.key("a", 1)))
                .join();

        assertThat(rule.hits()).isEqualTo(1);
    }

    @Test
    void skipAndTimes_onlyTheRequestsBetweenMeetTheFault() {
        FaultRule rule = proxy.on(RequestMatch.operation("PutItem").skip(2).times(3), FAULT);

        assertThat(outcomes(proxy.endpoint(), 8)).containsExactly(true, true, false, false, false, true, true, true);
        assertThat(rule.hits()).isEqualTo(3);
    }

    @Test
    void on_severalRulesMatch_firstOneDecides() {
        FaultRule first = proxy.on(RequestMatch.any().times(1), FAULT);
        FaultRule second = proxy.on(RequestMatch.any(), FAULT);

        assertThat(outcomes(proxy.endpoint(), 2)).containsExactly(false, false);
        assertThat(first.hits()).isEqualTo(1);
        assertThat(second.hits()).isEqualTo(1);
    }

    @Test
    void remove_requestsPassAgain() {
        FaultRule rule = proxy.on(RequestMatch.any(), FAULT);
        assertThat(succeeds(client, 1)).isFalse();

        rule.remove();

        assertThat(succeeds(client, 1)).isTrue();
    }

    @Test
    void chance_withTheSameSeed_hitsTheSameRequests() {
        List<Boolean> first = outcomesWithSeed(42);

        assertThat(outcomesWithSeed(42)).isEqualTo(first);
        assertThat(outcomesWithSeed(43)).isNotEqualTo(first);
        assertThat(first).contains(true, false);
    }

    @Test
    void chance_overManySeeds_hitsAboutHalfOfTheFirstRequests() {
        long hits = LongStream.range(0, 200).filter(RequestMatchTest::hitsFirst).count();

        assertThat(hits).isBetween(70L, 130L);
    }

    @Test
    void chance_withSkip_skipsBeforeItDraws() {
        FaultRule skipping = new FaultRules(7).add(RequestMatch.any().skip(3).chance(0.5), FAULT);
        FaultRule plain = new FaultRules(7).add(RequestMatch.any().chance(0.5), FAULT);

        assertThat(hits(skipping, 3)).containsOnly(false);
        assertThat(hits(skipping, 50)).isEqualTo(hits(plain, 50));
    }

    @Test
    void chance_outsideZeroToOne_isRefused() {
        assertThatThrownBy(() -> RequestMatch.any().chance(1.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a chance lies between 0 and 1");
    }

    private static boolean hitsFirst(long seed) {
        return hits(new FaultRules(seed).add(RequestMatch.any().chance(0.5), FAULT), 1)
                .get(0);
    }

    private static List<Boolean> hits(FaultRule rule, int requests) {
        DynamoDBRequest request = new DynamoDBRequest(ParsedRequest.unread("PutItem"));
        return IntStream.range(0, requests).mapToObj(n -> rule.hit(request)).toList();
    }

    private List<Boolean> outcomesWithSeed(long seed) {
        try (FaultProxy seeded = FaultProxy.start(DynamoDBLocal.shared().endpoint(), seed)) {
            seeded.on(RequestMatch.operation("PutItem").chance(0.5), FAULT);
            return outcomes(seeded.endpoint(), 40);
        }
    }

    private List<Boolean> outcomes(URI endpoint, int requests) {
        try (DynamoDbAsyncClient own = PlainClient.of(endpoint)) {
            return IntStream.range(0, requests).mapToObj(n -> succeeds(own, n)).toList();
        }
    }

    private boolean succeeds(DynamoDbAsyncClient own, int num) {
        try {
            own.putItem(Tables.put(table, "a", num)).join();
            return true;
        } catch (CompletionException e) {
            return false;
        }
    }
}
