package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What the extension injects. */
@DynamoDBTest
final class DynamoDBLocalExtensionTest {

    private static final Set<TableNames> SEEN_NAMES = ConcurrentHashMap.newKeySet();
    private static final Set<URI> SEEN_PROXIES = ConcurrentHashMap.newKeySet();
    private static final Set<DynamoDbAsyncClient> SEEN_CLIENTS = ConcurrentHashMap.newKeySet();

    private final TableNames fromConstructor;

    DynamoDBLocalExtensionTest(TableNames fromConstructor) {
        this.fromConstructor = fromConstructor;
    }

    @BeforeEach
    void sameForOneTest(TableNames names) {
        assertThat(names).isEqualTo(fromConstructor);
    }

    @RepeatedTest(3)
    void parameters_freshForEachTestButServerAndClientShared(
            DynamoDBLocal local, DynamoDbAsyncClient client, TableNames names, FaultProxy proxy) {
        assertThat(names).isEqualTo(fromConstructor);
        assertThat(SEEN_NAMES.add(names)).isTrue();
        assertThat(SEEN_PROXIES.add(proxy.endpoint())).isTrue();
        SEEN_CLIENTS.add(client);
        assertThat(SEEN_CLIENTS).hasSize(1);
        assertThat(local).isSameAs(DynamoDBLocal.shared());
        assertThat(client.listTables().join()).isNotNull();
    }
}
