package io.varve.store.table;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** The keys and indexes of a table. */
public record TableDefinition(String name, PrimaryKey key, List<Index> indexes) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{3,255}");
    private static final Pattern ARN = Pattern.compile("arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\\d{12}:table/" + NAME);

    /** A key attribute. */
    public record Attribute(String name, ScalarAttributeType type) {}

    /** A primary key, or an index's. */
    public record PrimaryKey(Attribute hash, Attribute sort) {}

    /** A secondary index; a local one has the table's hash key. */
    public record Index(String name, boolean global, PrimaryKey key, ProjectionType projection) {}

    /** The index of that name. */
    public Optional<Index> index(String indexName) {
        return indexes.stream().filter(index -> index.name().equals(indexName)).findFirst();
    }

    /** The name itself if DynamoDB allows it; else an {@link IllegalArgumentException} that says what it allows. */
    public static String checkName(String name) {
        if (!NAME.matcher(name).matches() && !ARN.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a table name that DynamoDB allows: 3 to 255 of the"
                            + " characters a-z, A-Z, 0-9, '_', '-' and '.', or a table's ARN");
        }
        return name;
    }
}
