package io.varve.example.shoppingcart.projection;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Creates the tables of read models. */
final class ReadModelTables {
    private ReadModelTables() {}

    /** Creates a table with a text as its key, unless it is there, also if several nodes do so at once; completes when it can be used. */
    static CompletionStage<Done> create(DynamoDbAsyncClient client, String name, String key) {
        return client.createTable(table -> table.tableName(name)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName(key)
                                .attributeType(ScalarAttributeType.S)
                                .build())
                        .keySchema(KeySchemaElement.builder()
                                .attributeName(key)
                                .keyType(KeyType.HASH)
                                .build()))
                .handle((created, thrown) -> {
                    if (thrown != null && !(thrown.getCause() instanceof ResourceInUseException)) {
                        throw new CompletionException(thrown.getCause());
                    }
                    return Done.getInstance();
                })
                .thenCompose(there -> client.waiter().waitUntilTableExists(table -> table.tableName(name)))
                .thenApply(active -> Done.getInstance());
    }
}
