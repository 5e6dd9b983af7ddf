package io.varve.store.table;

/**
 * A point in which a real table is not as it should be.
 *
 * @param blocking whether the store cannot use the table at all; otherwise only what the text names is lost
 * @param text what was found and what was expected
 */
public record Difference(String table, boolean blocking, String text) {
    @Override
    public String toString() {
        return "table '" + table + "': " + text;
    }
}
