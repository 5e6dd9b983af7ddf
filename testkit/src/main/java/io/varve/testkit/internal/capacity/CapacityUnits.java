package io.varve.testkit.internal.capacity;

/** Capacity units by AWS's rules: writes to the table, writes to its indexes, and reads. */
public record CapacityUnits(double write, double indexWrite, double read) {

    /** Nothing consumed. */
    public static final CapacityUnits NONE = new CapacityUnits(0, 0, 0);

    /** Both together. */
    public CapacityUnits plus(CapacityUnits other) {
        return new CapacityUnits(write + other.write, indexWrite + other.indexWrite, read + other.read);
    }
}
