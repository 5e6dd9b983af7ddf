package io.varve.testkit.internal.engine;

/** Something in which one of the engines differs from what AWS documents. */
public enum EngineDifference {
    /** Small items of a transaction are counted as one, and entries of indexes twice. */
    TRANSACTIONS_COUNTED_AS_A_WHOLE(DynamoDBEngine.LOCAL),
    /** A repeated transaction is counted as a write instead of a read. */
    REPEATED_TRANSACTION_COUNTED_AS_WRITE(DynamoDBEngine.LOCAL),
    /** A query that finds nothing and a missing key of a batch cost nothing. */
    NOTHING_FOUND_IS_FREE(DynamoDBEngine.LOCAL),
    /** The 100 bytes of storage overhead count, in entries of local indexes and in items that a batch deletes. */
    OVERHEAD_COUNTED(DynamoDBEngine.LOCAL),
    /** What a projection leaves out of an item is not counted. */
    PROJECTION_LOWERS_COST(DynamoDBEngine.DYNOXIDE),
    /** A projection of an item in a transaction brings its keys along. */
    PROJECTION_IN_TRANSACTION_BRINGS_KEYS(DynamoDBEngine.DYNOXIDE),
    /** A page may be larger than 1 MB if a filter leaves out what was read. */
    FILTER_LIFTS_PAGE_LIMIT(DynamoDBEngine.LOCAL),
    /** A query may begin at a key outside of what it asks for. */
    START_KEY_NOT_CHECKED(DynamoDBEngine.DYNOXIDE),
    /** The keys of an index may have any length. */
    LONG_INDEX_KEYS_ACCEPTED(DynamoDBEngine.DYNOXIDE),
    /** The reserved word SIZE may be the name of an attribute. */
    SIZE_NOT_RESERVED(DynamoDBEngine.LOCAL),
    /** Time to live can be switched on where it is on. */
    TIME_TO_LIVE_TWICE(DynamoDBEngine.DYNOXIDE);

    private final DynamoDBEngine engine;

    EngineDifference(DynamoDBEngine engine) {
        this.engine = engine;
    }

    /** The engine that differs. */
    DynamoDBEngine engine() {
        return engine;
    }
}
