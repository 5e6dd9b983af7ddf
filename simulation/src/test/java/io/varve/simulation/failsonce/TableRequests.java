package io.varve.simulation.failsonce;

import io.varve.simulation.model.Engine;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.CreateTableResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeContinuousBackupsRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeContinuousBackupsResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveResponse;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.PointInTimeRecoveryStatus;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;
import software.amazon.awssdk.services.dynamodb.model.UpdateContinuousBackupsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateContinuousBackupsResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateTimeToLiveRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateTimeToLiveResponse;

/** The requests about tables as AWS answers them: a new table is active when it has been looked at once, and nothing can be made twice. */
public final class TableRequests {
    private final Engine engine;
    private final Map<String, CreateTableRequest> definitions = new TreeMap<>();
    private final Map<String, String> timeToLive = new TreeMap<>();
    private final Set<String> lookedAt = new HashSet<>();
    private final Set<String> recoverable = new HashSet<>();

    public TableRequests(Engine engine) {
        this.engine = engine;
    }

    /** A table that was made long ago. */
    public void add(CreateTableRequest definition) {
        definitions.put(definition.tableName(), definition);
        lookedAt.add(definition.tableName());
        engine.createTable(definition);
    }

    public boolean exists(String table) {
        return definitions.containsKey(table);
    }

    public Collection<String> names() {
        return definitions.keySet();
    }

    /** The attribute that time to live looks at, if it is enabled. */
    public Optional<String> timeToLive(String table) {
        return Optional.ofNullable(timeToLive.get(table));
    }

    public boolean isRecoverable(String table) {
        return recoverable.contains(table);
    }

    /** How a table was made. */
    public CreateTableRequest definition(String table) {
        @Nullable CreateTableRequest found = definitions.get(table);
        if (found == null) {
            throw ResourceNotFoundException.builder()
                    .message("Requested resource not found: Table: " + table + " not found")
                    .statusCode(400)
                    .writableStackTrace(false)
                    .build();
        }
        return found;
    }

    /** The answer, if it is such a request. */
    public Optional<DynamoDbResponse> carryOut(DynamoDbRequest request) {
        if (request instanceof CreateTableRequest create) {
            return Optional.of(create(create));
        } else if (request instanceof DescribeTableRequest describe) {
            return Optional.of(describe(definition(describe.tableName())));
        } else if (request instanceof DescribeTimeToLiveRequest describe) {
            String attribute = timeToLive.get(definition(describe.tableName()).tableName());
            return Optional.of(DescribeTimeToLiveResponse.builder()
                    .timeToLiveDescription(ttl -> ttl.attributeName(attribute)
                            .timeToLiveStatus(attribute == null ? TimeToLiveStatus.DISABLED : TimeToLiveStatus.ENABLED))
                    .build());
        } else if (request instanceof UpdateTimeToLiveRequest update) {
            return Optional.of(enable(update));
        } else if (request instanceof DescribeContinuousBackupsRequest describe) {
            boolean on = recoverable.contains(definition(describe.tableName()).tableName());
            return Optional.of(DescribeContinuousBackupsResponse.builder()
                    .continuousBackupsDescription(backups ->
                            backups.pointInTimeRecoveryDescription(recovery -> recovery.pointInTimeRecoveryStatus(
                                    on ? PointInTimeRecoveryStatus.ENABLED : PointInTimeRecoveryStatus.DISABLED)))
                    .build());
        } else if (request instanceof UpdateContinuousBackupsRequest update) {
            recoverable.add(definition(update.tableName()).tableName());
            return Optional.of(UpdateContinuousBackupsResponse.builder().build());
        }
        return Optional.empty();
    }

    private DynamoDbResponse create(CreateTableRequest create) {
        if (exists(create.tableName())) {
            throw ResourceInUseException.builder()
                    .message("Table already exists: " + create.tableName())
                    .statusCode(400)
                    .writableStackTrace(false)
                    .build();
        }
        definitions.put(create.tableName(), create);
        engine.createTable(create);
        return CreateTableResponse.builder().build();
    }

    private DynamoDbResponse describe(CreateTableRequest table) {
        boolean active = !lookedAt.add(table.tableName());
        return DescribeTableResponse.builder()
                .table(description -> description
                        .tableName(table.tableName())
                        .tableStatus(active ? TableStatus.ACTIVE : TableStatus.CREATING)
                        .keySchema(table.keySchema())
                        .attributeDefinitions(table.attributeDefinitions())
                        .globalSecondaryIndexes(table.globalSecondaryIndexes().stream()
                                .map(index -> GlobalSecondaryIndexDescription.builder()
                                        .indexName(index.indexName())
                                        .keySchema(index.keySchema())
                                        .projection(index.projection())
                                        .build())
                                .toList())
                        .localSecondaryIndexes(table.localSecondaryIndexes().stream()
                                .map(index -> LocalSecondaryIndexDescription.builder()
                                        .indexName(index.indexName())
                                        .keySchema(index.keySchema())
                                        .projection(index.projection())
                                        .build())
                                .toList()))
                .build();
    }

    private DynamoDbResponse enable(UpdateTimeToLiveRequest update) {
        String table = definition(update.tableName()).tableName();
        if (timeToLive.containsKey(table)) {
            throw DynamoDbException.builder()
                    .message("TimeToLive is already enabled")
                    .statusCode(400)
                    .awsErrorDetails(AwsErrorDetails.builder()
                            .errorCode("ValidationException")
                            .errorMessage("TimeToLive is already enabled")
                            .build())
                    .writableStackTrace(false)
                    .build();
        }
        timeToLive.put(table, update.timeToLiveSpecification().attributeName());
        return UpdateTimeToLiveResponse.builder().build();
    }
}
