package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;

/** The examples of the guide's page Testing, which must stand there as they stand here. */
@DynamoDBTest
final class TestingGuideTest {

    @BeforeEach
    void createTable(DynamoDbAsyncClient client, TableNames names) {
        Tables.create(client, names.journal());
    }

    // guide: lost response
    @Test
    void lostResponse(FaultProxy proxy, TableNames names) {
        proxy.on(RequestMatch.operation("PutItem").table(names.journal()).times(1), Fault.resetAfter());

        PutItemRequest put = PutItemRequest.builder()
                .tableName(names.journal())
                .item(Map.of("par", AttributeValue.fromS("cart-1"), "num", AttributeValue.fromN("1")))
                .build();

        try (DynamoDbAsyncClient client = proxy.client()) {
            assertThatThrownBy(() -> client.putItem(put).join()).hasCauseInstanceOf(SdkClientException.class);
            client.putItem(put).join();
        }

        assertThat(proxy.requests().operations()).containsExactly("PutItem", "PutItem");
        assertThat(proxy.requests().capacity().writeUnits()).isEqualTo(2);
    }
    // guide: end

    @Test
    void guide_holdsTheExamplesOfThisClass() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "guide", "testing.md"));
        List<String> source =
                Files.readAllLines(Path.of("src", "test", "java", "io", "varve", "testkit", "TestingGuideTest.java"));
        int start = source.indexOf("    // guide: lost response");
        int end = source.indexOf("    // guide: end");

        assertThat(guide)
                .contains(String.join("\n", source.subList(start + 1, end)).stripIndent());
        assertThat(guide).contains(DynamoDBLocalJars.locked().get(0).version());
    }
}
