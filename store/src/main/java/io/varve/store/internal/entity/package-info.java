/**
 * Which entities there are.
 *
 * <p>{@link io.varve.store.internal.entity.PersistenceIds} begins a {@link io.varve.store.internal.entity.Listing}, which is pulled page by page;
 * a {@link io.varve.store.internal.entity.Source} says where the ids come from. The index {@code pid-idx} is made for it. Tables that do
 * not have it are listed by the predecessors' index, or by a scan.
 */
@NullMarked
package io.varve.store.internal.entity;

import org.jspecify.annotations.NullMarked;
