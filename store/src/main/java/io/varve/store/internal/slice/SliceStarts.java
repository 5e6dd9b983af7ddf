package io.varve.store.internal.slice;

/** Where a query begins. */
@FunctionalInterface
public interface SliceStarts {
    /** Where it begins in a slice of an entity type. */
    SliceStart of(String entityType, int slice);
}
