package io.varve.simulation.failsonce;

import io.varve.store.TableException;
import io.varve.store.internal.async.Causes;
import io.varve.store.table.Difference;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableDefinition.PrimaryKey;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;

/** How tables are made and looked at. */
final class TableSteps {
    static final String NEW = "new-table";
    private static final TableOptions ALL_EXTRAS = new TableOptions(Optional.empty(), true, true, false, Map.of());

    private TableSteps() {}

    /** Makes a journal with all extras, whether or not it is there. */
    static Step create() {
        return (scene, process) -> process.tables().create(Tables.journal(NEW), ALL_EXTRAS);
    }

    /** A table that somebody made without the indexes. */
    static Step withoutIndexes() {
        return (scene, process) -> {
            TableDefinition table = Tables.journal(NEW);
            scene.server().tables().add(definition(new TableDefinition(NEW, table.key(), List.of())));
            return Steps.done();
        };
    }

    /** A table that somebody made with another key. */
    static Step withAnotherKey() {
        return (scene, process) -> {
            scene.server()
                    .tables()
                    .add(definition(new TableDefinition(NEW, Tables.offsets(NEW).key(), List.of())));
            return Steps.done();
        };
    }

    /** Tries to make it, which must fail with words that say why. */
    static Step createInVain() {
        return (scene, process) -> process.tables()
                .create(Tables.journal(NEW), ALL_EXTRAS)
                .handle((created, thrown) -> {
                    if (thrown == null) {
                        throw new Broken("has taken a table with another key");
                    }
                    if (Causes.unwrap(thrown) instanceof TableException told
                            && String.valueOf(told.getMessage()).contains("its key is")) {
                        return created;
                    }
                    throw new CompletionException(Causes.unwrap(thrown));
                });
    }

    /** Looks at a table, in which so many differences are to be found, and one of them with this word. */
    static Step verify(TableDefinition table, int differences, String word) {
        return (scene, process) -> process.tables().verify(table).thenAccept(found -> {
            Broken.unless(found.size() == differences, "%s has the differences %s", table.name(), found);
            Broken.unless(
                    found.stream().map(Difference::text).allMatch(text -> text.contains(word)),
                    "%s has the differences %s",
                    table.name(),
                    found);
        });
    }

    /** Once it was made it is as it should be. */
    static UseCase.Invariant complete() {
        return (scene, succeeded) -> (same, process) -> {
            TableRequests tables = scene.server().tables();
            if (tables.exists(NEW)) {
                CreateTableRequest wanted = definition(Tables.journal(NEW));
                CreateTableRequest made = tables.definition(NEW);
                Broken.unless(made.keySchema().equals(wanted.keySchema()), "has made another key");
                Broken.unless(
                        made.globalSecondaryIndexes().size()
                                == wanted.globalSecondaryIndexes().size(),
                        "has made other indexes");
            }
            if (succeeded) {
                Broken.unless(
                        tables.timeToLive(NEW).equals(Optional.of("expiry")) && tables.isRecoverable(NEW),
                        "has left out extras");
            }
            return Steps.done();
        };
    }

    static CreateTableRequest definition(TableDefinition table) {
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
