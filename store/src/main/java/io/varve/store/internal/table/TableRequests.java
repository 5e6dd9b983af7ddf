package io.varve.store.internal.table;

import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableDefinition.Attribute;
import io.varve.store.table.TableDefinition.Index;
import io.varve.store.table.TableDefinition.PrimaryKey;
import io.varve.store.table.TableOptions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.Projection;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughput;
import software.amazon.awssdk.services.dynamodb.model.Tag;

/** Builds the request that creates a table. */
final class TableRequests {
    private TableRequests() {}

    static CreateTableRequest create(TableDefinition definition, TableOptions options) {
        ProvisionedThroughput throughput = options.provisioned()
                .map(p -> ProvisionedThroughput.builder()
                        .readCapacityUnits(p.readUnits())
                        .writeCapacityUnits(p.writeUnits())
                        .build())
                .orElse(null);
        CreateTableRequest.Builder request = CreateTableRequest.builder()
                .tableName(definition.name())
                .attributeDefinitions(attributes(definition))
                .keySchema(keySchema(definition.key()))
                .billingMode(throughput == null ? BillingMode.PAY_PER_REQUEST : BillingMode.PROVISIONED)
                .provisionedThroughput(throughput);
        List<GlobalSecondaryIndex> global = definition.indexes().stream()
                .filter(Index::global)
                .map(index -> global(index, throughput))
                .toList();
        List<LocalSecondaryIndex> local = definition.indexes().stream()
                .filter(index -> !index.global())
                .map(TableRequests::local)
                .toList();
        if (!global.isEmpty()) {
            request.globalSecondaryIndexes(global);
        }
        if (!local.isEmpty()) {
            request.localSecondaryIndexes(local);
        }
        if (options.deletionProtection()) {
            request.deletionProtectionEnabled(true);
        }
        if (!options.tags().isEmpty()) {
            request.tags(options.tags().entrySet().stream()
                    .map(t -> Tag.builder().key(t.getKey()).value(t.getValue()).build())
                    .toList());
        }
        return request.build();
    }

    private static List<AttributeDefinition> attributes(TableDefinition definition) {
        Map<String, AttributeDefinition> attributes = new TreeMap<>();
        Stream.concat(Stream.of(definition.key()), definition.indexes().stream().map(Index::key))
                .flatMap(key -> Stream.of(key.hash(), key.sort()))
                .forEach(a -> attributes.put(
                        a.name(),
                        AttributeDefinition.builder()
                                .attributeName(a.name())
                                .attributeType(a.type())
                                .build()));
        return List.copyOf(attributes.values());
    }

    private static GlobalSecondaryIndex global(Index index, @Nullable ProvisionedThroughput throughput) {
        return GlobalSecondaryIndex.builder()
                .indexName(index.name())
                .keySchema(keySchema(index.key()))
                .projection(projection(index))
                .provisionedThroughput(throughput)
                .build();
    }

    private static LocalSecondaryIndex local(Index index) {
        return LocalSecondaryIndex.builder()
                .indexName(index.name())
                .keySchema(keySchema(index.key()))
                .projection(projection(index))
                .build();
    }

    private static Projection projection(Index index) {
        return Projection.builder().projectionType(index.projection()).build();
    }

    private static List<KeySchemaElement> keySchema(PrimaryKey key) {
        return List.of(element(key.hash(), KeyType.HASH), element(key.sort(), KeyType.RANGE));
    }

    private static KeySchemaElement element(Attribute attribute, KeyType type) {
        return KeySchemaElement.builder()
                .attributeName(attribute.name())
                .keyType(type)
                .build();
    }
}
