package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The proxy without faults. */
final class FaultProxyTest extends ProxyFixture {

    FaultProxyTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
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
    void proxy_whenATableIsDeletedAndCreatedOtherwise_knowsTheNewKeys() {
        put("a", 1).join();
        client.deleteTable(request -> request.tableName(table)).join();
        Tables.createWithLocalIndex(client, table);

        client.putItem(request -> request.tableName(table)
                        .item(Map.of("par", Tables.text("a"), "seq", Tables.number(1), "ts", Tables.number(1))))
                .join();

        assertThat(proxy.requests().requests().get(3).capacity()).isEqualTo(new Capacity(1, 1, 0));
    }

    @Test
    void recording_whenOff_forwardsAndKeepsNothing() {
        proxy.recording(false);

        put("a", 1).join();

        assertThat(proxy.requests().requests()).isEmpty();
        assertThat(isStored("a", 1)).isTrue();
    }

    @Test
    void close_whenARequestHangs_endsIt() {
        proxy.on(RequestMatch.any(), Fault.hang());
        CompletableFuture<?> put = put("a", 1);

        proxy.close();

        failure(put, SdkClientException.class);
    }

    @Test
    void start_whenTheEndpointHasNoPort_saysWhatItNeeds() {
        assertThatThrownBy(() -> FaultProxy.start(URI.create("https://dynamodb.eu-west-1.amazonaws.com")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The proxy needs an endpoint like http://host:port, not"
                        + " https://dynamodb.eu-west-1.amazonaws.com");
    }

    @Test
    void proxy_whenTheBackendIsGone_resetsTheConnection() {
        try (DynamoDBLocal own = DynamoDBLocal.inMemory();
                FaultProxy toOwn = FaultProxy.start(own.endpoint());
                DynamoDbAsyncClient through = toOwn.client()) {
            through.listTables().join();
            own.kill();

            failure(through.listTables(), SdkClientException.class);
            assertThat(toOwn.requests().requests())
                    .extracting(RecordedRequest::status)
                    .containsExactly(200, RecordedRequest.NO_RESPONSE);
        }
    }
}
