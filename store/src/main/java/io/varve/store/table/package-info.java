/**
 * Tables as code: {@link io.varve.store.table.CreateTables} creates what is missing and says how a table that is there differs
 * from its definition in {@code layout}.
 */
@NullMarked
package io.varve.store.table;

import org.jspecify.annotations.NullMarked;
