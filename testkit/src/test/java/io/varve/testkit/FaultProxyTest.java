package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The proxy without faults. */
@DynamoDBTest
final class FaultProxyTest {

    private final DynamoDbAsyncClient direct;
    private final FaultProxy proxy;
    private final String table;
    private final DynamoDbAsyncClient client;

    FaultProxyTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.direct = direct;
        this.proxy = proxy;
        this.table = names.journal();
        this.client = proxy.client();
    }

    @BeforeEach
    void createTable() {
        Tables.create(direct, table);
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    @Test
    void proxy_whenManyPutsComeAtOnce_forwardsEachIntact() {
        CompletableFuture<?>[] puts = IntStream.range(0, 500)
                .mapToObj(n -> client.putItem(request ->
                        request.tableName(table).item(Tables.indexed("p" + n % 7, n, 10 * (n % 30) + 1))))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(puts).join();

        assertThat(proxy.requests().size()).isEqualTo(500);
        assertThat(proxy.requests().capacity()).isEqualTo(new Capacity(500, 500, 0));
        for (int par = 0; par < 7; par++) {
            String key = "p" + par;
            int remainder = par;
            assertThat(direct.query(request -> request.tableName(table)
                                    .keyConditionExpression("par = :par")
                                    .expressionAttributeValues(Map.of(":par", AttributeValue.fromS(key))))
                            .join()
                            .items())
                    .containsExactlyElementsOf(IntStream.range(0, 500)
                            .filter(n -> n % 7 == remainder)
                            .mapToObj(n -> Tables.indexed(key, n, 10 * (n % 30) + 1))
                            .toList());
        }
    }

    @Test
    void recording_whenOff_forwardsAndKeepsNothing() {
        proxy.recording(false);

        client.putItem(Tables.put(table, "a", 1)).join();

        assertThat(proxy.requests().requests()).isEmpty();
        assertThat(direct.getItem(request -> request.tableName(table).key(Tables.key("a", 1)))
                        .join()
                        .hasItem())
                .isTrue();
    }
}
