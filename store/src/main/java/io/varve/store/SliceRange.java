package io.varve.store;

/** Slices of one entity type, both bounds inclusive. */
public record SliceRange(String entityType, int min, int max) {

    /** Checks the bounds. */
    public SliceRange {
        if (min < 0 || max >= Slices.NUMBER || min > max) {
            throw new IllegalArgumentException("The slice range " + min + ".." + max
                    + " does not exist: slices are numbered 0.." + (Slices.NUMBER - 1)
                    + ", and the first one of a range must not be above the last. Use sliceRanges(n) to divide them.");
        }
    }

    /** All slices of an entity type. */
    public static SliceRange all(String entityType) {
        return new SliceRange(entityType, 0, Slices.NUMBER - 1);
    }

    /** Whether an entity belongs to it. */
    public boolean contains(String persistenceId) {
        int slice = Slices.of(persistenceId);
        return slice >= min && slice <= max && Slices.entityType(persistenceId).equals(entityType);
    }

    /** Whether all slices of another range belong to it. */
    public boolean contains(SliceRange other) {
        return min <= other.min && other.max <= max && entityType.equals(other.entityType);
    }
}
