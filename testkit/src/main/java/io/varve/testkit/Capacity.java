package io.varve.testkit;

import io.varve.testkit.internal.capacity.CapacityUnits;

/** Capacity units by AWS's rules: writes to the table, writes to its indexes, and reads. */
public record Capacity(double writeUnits, double indexWriteUnits, double readUnits) {

    /** Nothing consumed. */
    public static final Capacity NONE = new Capacity(0, 0, 0);

    static Capacity of(CapacityUnits units) {
        return new Capacity(units.write(), units.indexWrite(), units.read());
    }

    /** Both together. */
    public Capacity plus(Capacity other) {
        return new Capacity(
                writeUnits + other.writeUnits, indexWriteUnits + other.indexWriteUnits, readUnits + other.readUnits);
    }

    /** Units of writing to table and indexes. */
    public double allWriteUnits() {
        return writeUnits + indexWriteUnits;
    }
}
