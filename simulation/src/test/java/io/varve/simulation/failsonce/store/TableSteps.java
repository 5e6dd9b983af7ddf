package io.varve.simulation.failsonce.store;

import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.ServiceTables;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.TableRequests;
import io.varve.simulation.failsonce.UseCase;
import io.varve.store.TableException;
import io.varve.store.internal.async.Causes;
import io.varve.store.table.Difference;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;

/** How tables are made and looked at. */
final class TableSteps {
    static final String NEW = "new-table";
    private static final TableOptions ALL_EXTRAS = new TableOptions(Optional.empty(), true, true, false, Map.of());

    private TableSteps() {}

    /** Makes a journal with all extras, whether or not it is there. */
    static Step<ServiceProcess> create() {
        return (scene, process) -> process.tables().create(Tables.journal(NEW), ALL_EXTRAS);
    }

    /** A table that somebody made without the indexes. */
    static Step<ServiceProcess> withoutIndexes() {
        return (scene, process) -> {
            TableDefinition table = Tables.journal(NEW);
            scene.server().tables().add(ServiceTables.definition(new TableDefinition(NEW, table.key(), List.of())));
            return Steps.done();
        };
    }

    /** A table that somebody made with another key. */
    static Step<ServiceProcess> withAnotherKey() {
        return (scene, process) -> {
            scene.server()
                    .tables()
                    .add(ServiceTables.definition(
                            new TableDefinition(NEW, Tables.offsets(NEW).key(), List.of())));
            return Steps.done();
        };
    }

    /** Tries to make it, which must fail with words that say why. */
    static Step<ServiceProcess> createInVain() {
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
    static Step<ServiceProcess> verify(TableDefinition table, int differences, String word) {
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
    static UseCase.Invariant<ServiceProcess> complete() {
        return (scene, succeeded) -> (same, process) -> {
            TableRequests tables = scene.server().tables();
            if (tables.exists(NEW)) {
                CreateTableRequest wanted = ServiceTables.definition(Tables.journal(NEW));
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
}
