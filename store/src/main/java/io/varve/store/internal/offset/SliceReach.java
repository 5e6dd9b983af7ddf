package io.varve.store.internal.offset;

/**
 * How far a slice is processed, by its own row and by what others say of it.
 *
 * @param place by its own row
 * @param floor up to which timestamp its neighbours say that it is processed, in microseconds; 0 if none does
 */
public record SliceReach(SliceOffset place, long floor) {

    /** Nothing is processed. */
    public static final SliceReach BEGINNING = new SliceReach(SliceOffset.BEGINNING, 0);

    /** Whether an event of the slice is processed. */
    public boolean covers(String persistenceId, long sequenceNumber, long timestamp) {
        return coversAllUpTo(timestamp)
                || (timestamp == place.timestamp() && place.seen().getOrDefault(persistenceId, 0L) >= sequenceNumber);
    }

    /** Whether all events up to a timestamp are processed, those at exactly that time included. */
    public boolean coversAllUpTo(long timestamp) {
        return timestamp <= floor || timestamp < place.timestamp() || timestamp < place.setTo();
    }

    /** From which timestamp on events may not be processed. */
    public long from() {
        return Math.max(Math.max(place.timestamp(), place.setTo()), floor + 1);
    }
}
