package io.varve.testkit;

import java.util.UUID;

/** Names of one set of Varve's tables. */
public record TableNames(String journal, String snapshots, String offsets) {

    /** Names that no other test uses. */
    public static TableNames fresh() {
        String suffix = UUID.randomUUID().toString();
        return new TableNames("journal-" + suffix, "snapshots-" + suffix, "offsets-" + suffix);
    }
}
