/**
 * Tables as code: {@link io.varve.store.internal.table.TableCreator} creates what is missing and says how a table that is there differs
 * from its definition in {@code layout}. {@link io.varve.store.internal.table.JournalMetaLoader} and {@link
 * io.varve.store.internal.table.TaggedTypeRegistry} keep what all nodes of a journal must agree on in its META item.
 */
@NullMarked
package io.varve.store.internal.table;

import org.jspecify.annotations.NullMarked;
