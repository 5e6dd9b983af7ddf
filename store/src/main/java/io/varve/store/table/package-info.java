/**
 * The tables that Varve needs: their definitions, what can be chosen when they are created, and in what real ones differ.
 */
@NullMarked
package io.varve.store.table;

import org.jspecify.annotations.NullMarked;
