package io.varve.store.table;

import java.util.List;

/**
 * A table that is ready for use.
 *
 * @param name its name
 * @param created whether this call created it
 * @param differences in what it differs from its definition without harm
 */
public record CreatedTable(String name, boolean created, List<Difference> differences) {
    /** Keeps the differences as they are now. */
    public CreatedTable {
        differences = List.copyOf(differences);
    }
}
