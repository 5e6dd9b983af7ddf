package io.varve.store.internal.table;

import io.varve.store.table.Difference;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableDefinition.Attribute;
import io.varve.store.table.TableDefinition.Index;
import io.varve.store.table.TableDefinition.PrimaryKey;
import io.varve.store.table.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.Projection;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;

/** Compares a real table with its definition. */
final class TableComparison {
    private final TableDefinition expected;
    private final TableDescription actual;
    private final List<Difference> differences = new ArrayList<>();

    private TableComparison(TableDefinition expected, TableDescription actual) {
        this.expected = expected;
        this.actual = actual;
    }

    static List<Difference> compare(TableDefinition expected, TableDescription actual) {
        TableComparison comparison = new TableComparison(expected, actual);
        comparison.keys();
        expected.indexes().forEach(comparison::index);
        return comparison.differences;
    }

    private void keys() {
        String found = schema(actual.keySchema());
        if (!found.equals(schema(expected.key()))) {
            add(true, "its key is " + found + ", expected " + schema(expected.key()));
        }
    }

    private void index(Index index) {
        Optional<RealIndex> real = realIndexes()
                .filter(i -> i.name().equals(index.name()) && i.global() == index.global())
                .findFirst();
        String kind = (index.global() ? "global" : "local") + " index '" + index.name() + "'";
        if (real.isEmpty()) {
            add(
                    false,
                    kind + " is missing, expected " + schema(index.key()) + " projecting " + index.projection() + "; "
                            + use(index));
            return;
        }
        String found = schema(real.get().key());
        if (!found.equals(schema(index.key()))) {
            add(true, kind + " has the key " + found + ", expected " + schema(index.key()));
        }
        ProjectionType projection = real.get().projection().projectionType();
        if (projection != index.projection()) {
            String consequence = projection == ProjectionType.ALL
                    ? "it works, but each item is written and billed twice"
                    : use(index);
            add(false, kind + " projects " + projection + ", expected " + index.projection() + "; " + consequence);
        }
    }

    private static String use(Index index) {
        return switch (index.name()) {
            case Tables.SLICE_INDEX ->
                "without it queries by slice or tag and projections cannot read this table;"
                        + " the journal works with slice-index.enabled = off";
            case Tables.PERSISTENCE_ID_INDEX -> "without it persistence ids can be listed by a scan only";
            default -> "older nodes of the predecessor need it";
        };
    }

    private Stream<RealIndex> realIndexes() {
        return Stream.concat(
                actual.globalSecondaryIndexes().stream()
                        .map(i -> new RealIndex(i.indexName(), true, i.keySchema(), i.projection())),
                actual.localSecondaryIndexes().stream()
                        .map(i -> new RealIndex(i.indexName(), false, i.keySchema(), i.projection())));
    }

    private String schema(List<KeySchemaElement> elements) {
        Map<String, String> types = actual.attributeDefinitions().stream()
                .collect(Collectors.toMap(
                        AttributeDefinition::attributeName, AttributeDefinition::attributeTypeAsString));
        return elements.stream()
                .map(e -> e.keyTypeAsString() + " " + e.attributeName() + " (" + types.get(e.attributeName()) + ")")
                .collect(Collectors.joining(", "));
    }

    private static String schema(PrimaryKey key) {
        return "HASH " + schema(key.hash()) + ", RANGE " + schema(key.sort());
    }

    private static String schema(Attribute attribute) {
        return attribute.name() + " (" + attribute.type() + ")";
    }

    private void add(boolean blocking, String text) {
        differences.add(new Difference(expected.name(), blocking, text));
    }

    private record RealIndex(String name, boolean global, List<KeySchemaElement> key, Projection projection) {}
}
