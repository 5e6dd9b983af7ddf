package io.varve.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

@DynamoDBTest
class LostResponseTest {

    @Test
    void lostResponse(FaultProxy proxy, TableNames names) {
        try (DynamoDbAsyncClient client = proxy.client()) {
            createTable(client, names.journal());
            proxy.on(RequestMatch.operation("PutItem").table(names.journal()).times(1), Fault.resetAfter());

            PutItemRequest put = PutItemRequest.builder()
                    .tableName(names.journal())
                    .item(Map.of("id", AttributeValue.fromS("cart-1")))
                    .build();
            assertThatThrownBy(() -> client.putItem(put).join()).hasCauseInstanceOf(SdkClientException.class);
            client.putItem(put).join();
        }

        assertThat(proxy.requests().operations()).containsExactly("CreateTable", "PutItem", "PutItem");
        assertThat(proxy.requests().capacity().writeUnits()).isEqualTo(2);
    }

    private static void createTable(DynamoDbAsyncClient client, String name) {
        client.createTable(table -> table.tableName(name)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName("id")
                                .attributeType(ScalarAttributeType.S)
                                .build())
                        .keySchema(KeySchemaElement.builder()
                                .attributeName("id")
                                .keyType(KeyType.HASH)
                                .build()))
                .join();
    }
}
