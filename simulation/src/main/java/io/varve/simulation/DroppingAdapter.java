package io.varve.simulation;

/**
 * An event adapter that drops some events, always the same ones.
 *
 * @param chance of each event
 */
record DroppingAdapter(double chance) {
    private static final long MIXED = 0x9E3779B97F4A7C15L;
    private static final int PARTS = 1 << 20;

    boolean drops(String entity, long number) {
        long mixed = (entity.hashCode() * 31L + number) * MIXED;
        return (mixed >>> 44) < chance * PARTS;
    }
}
