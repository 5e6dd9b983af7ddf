package io.varve.store.table;

import static software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType.N;
import static software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType.S;

import io.varve.store.table.TableDefinition.Attribute;
import io.varve.store.table.TableDefinition.Index;
import io.varve.store.table.TableDefinition.PrimaryKey;
import java.util.List;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;

/** The tables of the store. */
public final class Tables {
    /** The attribute that holds an item's time of expiry, in all tables. */
    public static final String TIME_TO_LIVE = "expiry";

    /** The index of all events by shard and time. */
    public static final String SLICE_INDEX = "slice-idx";

    /** The index of entities, one entry for each. */
    public static final String PERSISTENCE_ID_INDEX = "pid-idx";

    /** The local index of snapshots by time, which the predecessors read. */
    public static final String SNAPSHOT_TIME_INDEX = "ts-idx";

    private Tables() {}

    /** The journal table. */
    public static TableDefinition journal(String name) {
        return new TableDefinition(
                name,
                new PrimaryKey(new Attribute("par", S), new Attribute("num", N)),
                List.of(
                        new Index(
                                SLICE_INDEX,
                                true,
                                new PrimaryKey(new Attribute("shard", S), new Attribute("ts", N)),
                                ProjectionType.ALL),
                        new Index(
                                PERSISTENCE_ID_INDEX,
                                true,
                                new PrimaryKey(new Attribute("pid_bucket", S), new Attribute("persistence_id", S)),
                                ProjectionType.KEYS_ONLY)));
    }

    /** The snapshot table. */
    public static TableDefinition snapshots(String name) {
        Attribute hash = new Attribute("par", S);
        return new TableDefinition(
                name,
                new PrimaryKey(hash, new Attribute("seq", N)),
                List.of(new Index(
                        SNAPSHOT_TIME_INDEX,
                        false,
                        new PrimaryKey(hash, new Attribute("ts", N)),
                        ProjectionType.KEYS_ONLY)));
    }

    /** The table of projections' offsets. */
    public static TableDefinition offsets(String name) {
        return new TableDefinition(
                name, new PrimaryKey(new Attribute("name_slice", S), new Attribute("pid", S)), List.of());
    }
}
