package io.varve.store.internal.layout;

import io.varve.store.table.Tables;

/** The names of the journal's attributes; all others are listed where they are used. */
public final class Attributes {
    public static final String PARTITION = "par";
    public static final String NUMBER = "num";

    public static final String PERSISTENCE_ID = "persistence_id";
    public static final String SEQUENCE_NUMBER = "seq";
    public static final String EVENT = "event";
    public static final String EVENT_SERIALIZER = "ev_ser_id";
    public static final String EVENT_SERIALIZER_MANIFEST = "ev_ser_manifest";
    public static final String WRITER = "writer_uuid";
    public static final String MANIFEST = "manifest";
    public static final String BATCH_INDEX = "idx";
    /** The last index of an atomic write, not its size. */
    public static final String BATCH_LAST_INDEX = "cnt";

    public static final String TIMESTAMP = "ts";
    public static final String SHARD = "shard";
    public static final String TAGS = "tags";
    public static final String METADATA = "meta";
    public static final String METADATA_SERIALIZER = "meta_ser_id";
    public static final String METADATA_SERIALIZER_MANIFEST = "meta_ser_manifest";
    public static final String PERSISTENCE_ID_BUCKET = "pid_bucket";
    public static final String EXPIRY = Tables.TIME_TO_LIVE;
    /** The identity of an atomic write that needs several transactions. */
    public static final String BATCH = "batch_id";
    /** That the item only takes the number of a rejected event. */
    public static final String PLACEHOLDER = "placeholder";

    /** The whole representation of an event, as the oldest predecessors stored it. */
    public static final String LEGACY_EVENT = "pay";

    /** On a low mark: the first event of the range whose deletion may not be finished. */
    public static final String DELETE_FROM = "del_from";

    private Attributes() {}
}
