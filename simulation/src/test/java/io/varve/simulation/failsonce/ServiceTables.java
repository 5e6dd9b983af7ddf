package io.varve.simulation.failsonce;

import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableDefinition.PrimaryKey;
import io.varve.store.table.Tables;
import java.util.List;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;

/** The tables of a service: their names, and how they are made. */
public final class ServiceTables {
    public static final String JOURNAL = "journal-table";
    public static final String SNAPSHOTS = "snapshot-table";
    public static final String OFFSETS = "offset-table";
    /** What handlers of projections change. */
    public static final String EFFECTS = "effect-table";
    /** The journal's name, with which all keys begin. */
    public static final String NAME = "journal";

    private ServiceTables() {}

    /** Tables that were made long ago. */
    static void addTo(Server server) {
        Stream.of(
                        Tables.journal(JOURNAL),
                        Tables.snapshots(SNAPSHOTS),
                        Tables.offsets(OFFSETS),
                        Tables.offsets(EFFECTS))
                .forEach(table -> server.tables().add(definition(table)));
    }

    /** The request that makes a table. */
    public static CreateTableRequest definition(TableDefinition table) {
        return CreateTableRequest.builder()
                .tableName(table.name())
                .attributeDefinitions(Stream.concat(
                                Stream.of(table.key()), table.indexes().stream().map(TableDefinition.Index::key))
                        .flatMap(key -> Stream.of(key.hash(), key.sort()))
                        .distinct()
                        .map(attribute -> AttributeDefinition.builder()
                                .attributeName(attribute.name())
                                .attributeType(attribute.type())
                                .build())
                        .toList())
                .keySchema(schema(table.key()))
                .globalSecondaryIndexes(table.indexes().stream()
                        .filter(TableDefinition.Index::global)
                        .map(index -> GlobalSecondaryIndex.builder()
                                .indexName(index.name())
                                .keySchema(schema(index.key()))
                                .projection(p -> p.projectionType(index.projection()))
                                .build())
                        .toList())
                .localSecondaryIndexes(table.indexes().stream()
                        .filter(index -> !index.global())
                        .map(index -> LocalSecondaryIndex.builder()
                                .indexName(index.name())
                                .keySchema(schema(index.key()))
                                .projection(p -> p.projectionType(index.projection()))
                                .build())
                        .toList())
                .build();
    }

    private static List<KeySchemaElement> schema(PrimaryKey key) {
        return List.of(
                KeySchemaElement.builder()
                        .attributeName(key.hash().name())
                        .keyType(KeyType.HASH)
                        .build(),
                KeySchemaElement.builder()
                        .attributeName(key.sort().name())
                        .keyType(KeyType.RANGE)
                        .build());
    }
}
