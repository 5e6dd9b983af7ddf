package io.varve.store.internal.table;

import io.varve.store.TableException;
import io.varve.store.TableMissingException;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.table.CreatedTable;
import io.varve.store.table.Difference;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.DescribeContinuousBackupsRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveRequest;
import software.amazon.awssdk.services.dynamodb.model.PointInTimeRecoveryStatus;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;
import software.amazon.awssdk.services.dynamodb.model.UpdateContinuousBackupsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateTimeToLiveRequest;

/**
 * Creates and verifies tables.
 *
 * <p>Creating is idempotent, and safe when several nodes do it at once: whoever comes second finds the table and waits for it
 * too. A table that is there is never changed but for its extras (time to live, point-in-time recovery).
 */
public final class TableCreator {
    private static final Backoff POLLS = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2), 0);

    private final Gateway gateway;
    private final Duration timeout;

    /** Tables through this gateway; each may take up to {@code timeout} until it is active. */
    public TableCreator(Gateway gateway, Duration timeout) {
        this.gateway = gateway;
        this.timeout = timeout;
    }

    /** Creates the table if it is missing; completes when it is active with its extras, and fails if it cannot be used. */
    public CompletionStage<CreatedTable> create(TableDefinition definition, TableOptions options) {
        TableDefinition.checkName(definition.name());
        Budget budget = gateway.budget(timeout);
        return describe(definition.name(), budget)
                .thenCompose(there -> there.isPresent()
                        ? CompletableFuture.completedFuture(false)
                        : createMissing(definition, options, budget))
                .thenCompose(created -> active(definition.name(), 1, budget).thenCompose(table -> {
                    List<Difference> differences = TableComparison.compare(definition, table);
                    if (differences.stream().anyMatch(Difference::blocking)) {
                        throw new TableException("This table cannot be used: " + differences);
                    }
                    return extras(definition.name(), options, budget)
                            .thenApply(done -> new CreatedTable(definition.name(), created, differences));
                }));
    }

    /** In what the real table differs from its definition; a missing table is a difference, too. */
    public CompletionStage<List<Difference>> verify(TableDefinition definition) {
        Budget budget = gateway.budget(timeout);
        return describe(definition.name(), budget).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(
                        List.of(new Difference(definition.name(), true, "does not exist")));
            }
            List<Difference> differences = new ArrayList<>(TableComparison.compare(definition, found.get()));
            return timeToLive(definition.name(), budget).thenApply(ttl -> {
                if (!isEnabled(ttl)) {
                    differences.add(new Difference(
                            definition.name(),
                            false,
                            "time to live is not enabled on '" + Tables.TIME_TO_LIVE + "'; expired items stay"));
                } else if (!Tables.TIME_TO_LIVE.equals(ttl.attributeName())) {
                    differences.add(new Difference(
                            definition.name(),
                            false,
                            "time to live is enabled on '" + ttl.attributeName() + "', expected '" + Tables.TIME_TO_LIVE
                                    + "'; expired items stay"));
                }
                return List.copyOf(differences);
            });
        });
    }

    private CompletionStage<Boolean> createMissing(TableDefinition definition, TableOptions options, Budget budget) {
        return gateway.call(Call.CREATE_TABLE, TableRequests.create(definition, options), budget)
                .handle((response, thrown) -> {
                    if (thrown == null) {
                        return true;
                    }
                    if (causedBy(thrown, ResourceInUseException.class)) {
                        return false; // another node was faster, or our own request came twice
                    }
                    throw new CompletionException(thrown);
                });
    }

    private CompletionStage<Optional<TableDescription>> describe(String table, Budget budget) {
        return gateway.call(
                        Call.DESCRIBE_TABLE,
                        DescribeTableRequest.builder().tableName(table).build(),
                        budget)
                .handle((response, thrown) -> {
                    if (thrown == null) {
                        return Optional.of(response.table());
                    }
                    if (thrown instanceof TableMissingException || thrown.getCause() instanceof TableMissingException) {
                        return Optional.empty();
                    }
                    throw new CompletionException(thrown);
                });
    }

    /** Also a table that is not found yet is waited for: a table just created can stay invisible for a moment. */
    private CompletionStage<TableDescription> active(String table, int look, Budget budget) {
        return describe(table, budget).thenCompose(found -> {
            if (found.isPresent() && found.get().tableStatus() == TableStatus.ACTIVE) {
                return CompletableFuture.completedFuture(found.get());
            }
            Duration pause = POLLS.delay(look);
            if (pause.compareTo(budget.left()) >= 0) {
                throw new TableException("Table '" + table + "' is "
                        + found.map(TableDescription::tableStatusAsString).orElse("not visible")
                        + " and not ACTIVE after "
                        + budget.total().toSeconds() + " s.");
            }
            return gateway.after(pause).thenCompose(waited -> active(table, look + 1, budget));
        });
    }

    private CompletionStage<Void> extras(String table, TableOptions options, Budget budget) {
        CompletionStage<Void> timeToLive =
                options.timeToLive() ? enableTimeToLive(table, budget) : CompletableFuture.completedFuture(null);
        return timeToLive.thenCompose(done -> options.pointInTimeRecovery()
                ? enablePointInTimeRecovery(table, budget)
                : CompletableFuture.completedFuture(null));
    }

    private CompletionStage<Void> enableTimeToLive(String table, Budget budget) {
        return timeToLive(table, budget).thenCompose(ttl -> {
            if (isEnabled(ttl)) {
                return CompletableFuture.completedFuture(null);
            }
            UpdateTimeToLiveRequest request = UpdateTimeToLiveRequest.builder()
                    .tableName(table)
                    .timeToLiveSpecification(
                            s -> s.attributeName(Tables.TIME_TO_LIVE).enabled(true))
                    .build();
            return gateway.call(Call.UPDATE_TIME_TO_LIVE, request, budget)
                    .<CompletionStage<Void>>handle((response, thrown) -> thrown == null
                            ? CompletableFuture.completedFuture(null)
                            : unlessEnabledByAnother(table, thrown, budget))
                    .thenCompose(stage -> stage);
        });
    }

    /** Enabling it twice is an error to DynamoDB: look whether another node has done it meanwhile. */
    private CompletionStage<Void> unlessEnabledByAnother(String table, Throwable thrown, Budget budget) {
        return timeToLive(table, budget).thenAccept(ttl -> {
            if (!isEnabled(ttl)) {
                throw new CompletionException(thrown);
            }
        });
    }

    private CompletionStage<TimeToLiveDescription> timeToLive(String table, Budget budget) {
        return gateway.call(
                        Call.DESCRIBE_TIME_TO_LIVE,
                        DescribeTimeToLiveRequest.builder().tableName(table).build(),
                        budget)
                .thenApply(response -> response.timeToLiveDescription());
    }

    private static boolean isEnabled(TimeToLiveDescription ttl) {
        return ttl.timeToLiveStatus() == TimeToLiveStatus.ENABLED
                || ttl.timeToLiveStatus() == TimeToLiveStatus.ENABLING;
    }

    private CompletionStage<Void> enablePointInTimeRecovery(String table, Budget budget) {
        DescribeContinuousBackupsRequest describe =
                DescribeContinuousBackupsRequest.builder().tableName(table).build();
        UpdateContinuousBackupsRequest enable = UpdateContinuousBackupsRequest.builder()
                .tableName(table)
                .pointInTimeRecoverySpecification(s -> s.pointInTimeRecoveryEnabled(true))
                .build();
        return gateway.call(Call.DESCRIBE_CONTINUOUS_BACKUPS, describe, budget)
                .thenCompose(backups -> backups.continuousBackupsDescription()
                                        .pointInTimeRecoveryDescription()
                                        .pointInTimeRecoveryStatus()
                                == PointInTimeRecoveryStatus.ENABLED
                        ? CompletableFuture.completedFuture(null)
                        : gateway.call(Call.UPDATE_CONTINUOUS_BACKUPS, enable, budget)
                                .thenAccept(done -> {}));
    }

    private static boolean causedBy(Throwable thrown, Class<? extends Throwable> type) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (type.isInstance(t)) {
                return true;
            }
        }
        return false;
    }
}
