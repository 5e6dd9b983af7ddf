package io.varve.simulation.model;

import java.util.Set;

/** Those of DynamoDB's reserved words that come near to what an attribute may be called here. */
final class Reserved {
    static final Set<String> WORDS = Set.of(
            "ACTION", "ADD", "ALL", "AND", "BATCH", "BEGIN", "BETWEEN", "BUCKETS", "BY", "COUNT", "COUNTER", "DATA", "DATE", "DELETE",
            "END", "EXISTS", "FROM", "GROUP", "HASH", "IN", "INDEX", "KEY", "KEYS", "LAST", "LENGTH", "LIST", "NAME", "NAMES", "NEXT",
            "NOT", "NUMBER", "OFFSET", "OR", "PART", "PARTITION", "POSITION", "RANGE", "SEGMENT", "SEQUENCE", "SET", "SHARD", "SIZE",
            "STATE", "STATUS", "TABLE", "TAG", "TIME", "TIMESTAMP", "TO", "TOKEN", "TTL", "TYPE", "VALUE", "VALUES", "VERSION");

    private Reserved() {}
}
