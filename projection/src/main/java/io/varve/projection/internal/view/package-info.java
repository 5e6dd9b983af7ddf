/**
 * Read models with one item for each entity, whose progress stands in the item: {@code ItemMode} delivers, {@code EntityItems} decides.
 *
 * <p>What waits of an entity is folded and written as one; the items of different entities are written at the same time.
 */
@NullMarked
package io.varve.projection.internal.view;

import org.jspecify.annotations.NullMarked;
