/**
 * Which entities there are.
 *
 * <p>{@link io.varve.store.entity.PersistenceIds} begins a {@link io.varve.store.entity.Listing}, which is pulled page by page;
 * a {@link io.varve.store.entity.Source} says where the ids come from. The index {@code pid-idx} is made for it. Tables that do
 * not have it are listed by the predecessors' index, or by a scan.
 */
@NullMarked
package io.varve.store.entity;

import org.jspecify.annotations.NullMarked;
