package io.varve.testkit;

import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Creates tables as users of pekko-persistence-dynamodb have them, for tests of a migration. */
public final class PredecessorTables {

    private PredecessorTables() {}

    /** A journal table: the keys par and num, and no index but those that are given, which have the same keys. */
    public static void createJournal(DynamoDbAsyncClient client, String name, GlobalSecondaryIndex... indexes) {
        CreateTableRequest.Builder table = table(name, "par", "num").keySchema(keys("par", "num"));
        if (indexes.length > 0) {
            table.globalSecondaryIndexes(indexes);
        }
        client.createTable(table.build()).join();
    }

    /** A snapshot table: the keys par and seq, and an index by ts that holds a copy of everything. */
    public static void createSnapshots(DynamoDbAsyncClient client, String name) {
        CreateTableRequest.Builder table = table(name, "par", "seq", "ts")
                .keySchema(keys("par", "seq"))
                .localSecondaryIndexes(LocalSecondaryIndex.builder()
                        .indexName("ts-idx")
                        .keySchema(keys("par", "ts"))
                        .projection(projection -> projection.projectionType(ProjectionType.ALL))
                        .build());
        client.createTable(table.build()).join();
    }

    /** Of the attributes the first is a text and the others are numbers. */
    private static CreateTableRequest.Builder table(String name, String... attributes) {
        List<AttributeDefinition> definitions = new ArrayList<>();
        for (String attribute : attributes) {
            definitions.add(AttributeDefinition.builder()
                    .attributeName(attribute)
                    .attributeType(definitions.isEmpty() ? ScalarAttributeType.S : ScalarAttributeType.N)
                    .build());
        }
        return CreateTableRequest.builder()
                .tableName(name)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .attributeDefinitions(definitions);
    }

    private static List<KeySchemaElement> keys(String hash, String range) {
        return List.of(
                KeySchemaElement.builder()
                        .attributeName(hash)
                        .keyType(KeyType.HASH)
                        .build(),
                KeySchemaElement.builder()
                        .attributeName(range)
                        .keyType(KeyType.RANGE)
                        .build());
    }
}
