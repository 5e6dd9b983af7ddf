package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The shared server after someone ended it, which no test should do. */
@DynamoDBTest
final class SharedServerTest {

    @BeforeEach
    void endServer(DynamoDBLocal local, DynamoDbAsyncClient client) {
        assertThat(client.listTables().join()).isNotNull();
        local.kill();
    }

    @Test
    void client_afterTheServerWasKilled_isOneOfTheNewServer(DynamoDbAsyncClient client) {
        assertThat(client.listTables().join().tableNames()).isEmpty();
    }
}
