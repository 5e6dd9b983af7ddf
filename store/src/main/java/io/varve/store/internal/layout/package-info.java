/**
 * What the bytes look like: the names of attributes, keys and indexes, and the definitions of the tables.
 *
 * <p>This is a contract with every table that exists, also with those of the predecessors: a change here is a change of the
 * storage format, which {@code docs/design/storage.md} describes.
 */
@NullMarked
package io.varve.store.internal.layout;

import org.jspecify.annotations.NullMarked;
