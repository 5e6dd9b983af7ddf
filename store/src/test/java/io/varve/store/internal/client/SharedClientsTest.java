package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

@DynamoDBTest
class SharedClientsTest {
    private final DynamoDBLocal local;

    SharedClientsTest(DynamoDBLocal local) {
        this.local = local;
    }

    private ClientSettings settings(String more) {
        return ClientSettings.from(
                ConfigFactory.parseString(more)
                        .withFallback(ConfigFactory.parseString("local { enabled = on, port = "
                                + local.endpoint().getPort() + ", host = \""
                                + local.endpoint().getHost() + "\" }"))
                        .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH)),
                ClientSettings.PATH);
    }

    private static boolean isOpen(DynamoDbAsyncClient client) {
        return client.listTables()
                .orTimeout(2, TimeUnit.SECONDS) // nobody answers for a closed client
                .handle((tables, thrown) -> thrown == null)
                .join();
    }

    @Test
    void equalSettings_shareOneClientUntilTheLastLeaseIsClosed() {
        try (SharedClients clients = new SharedClients()) {
            ClientLease one = clients.acquire(settings(""));
            ClientLease two = clients.acquire(settings(""));
            ClientLease other = clients.acquire(settings("http.max-concurrency = 3"));
            assertThat(one.client()).isSameAs(two.client()).isNotSameAs(other.client());
            one.close();
            one.close();
            assertThat(isOpen(two.client())).isTrue();
            assertThat(clients.acquire(settings("")).client()).isSameAs(two.client());
            clients.acquire(settings("")).close();
            assertThat(isOpen(two.client())).isTrue();
            assertThat(isOpen(other.client())).isTrue();
        }
    }

    @Test
    void lastLeaseClosed_closesTheClientAndTheNextUserGetsANewOne() {
        try (SharedClients clients = new SharedClients()) {
            ClientLease lease = clients.acquire(settings(""));
            assertThat(isOpen(lease.client())).isTrue();
            lease.close();
            assertThat(isOpen(lease.client())).isFalse();
            ClientLease next = clients.acquire(settings(""));
            assertThat(next.client()).isNotSameAs(lease.client());
            assertThat(isOpen(next.client())).isTrue();
        }
    }

    @Test
    void closing_closesClientsInUseAndRefusesNewOnes() {
        SharedClients clients = new SharedClients();
        ClientLease lease = clients.acquire(settings(""));
        clients.close();
        assertThat(isOpen(lease.client())).isFalse();
        assertThatThrownBy(() -> clients.acquire(settings(""))).isInstanceOf(IllegalStateException.class);
        lease.close();
    }

    @Test
    void usersOwnClient_isNeverClosed() {
        try (DynamoDbAsyncClient own = local.client()) {
            ClientLease.of(own).close();
            assertThat(isOpen(own)).isTrue();
        }
    }
}
