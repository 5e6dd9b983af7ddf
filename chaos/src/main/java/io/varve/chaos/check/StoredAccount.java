package io.varve.chaos.check;

import java.util.List;
import java.util.Map;

/**
 * All that the tables have of an account.
 *
 * @param lowMark the first number that may be replayed, 0 without a mark
 * @param events in the order of their numbers
 * @param snapshots the lines of each snapshot, by its sequence number
 * @param models the read models, by projection
 */
public record StoredAccount(
        String id,
        long lowMark,
        List<StoredEvent> events,
        Map<Long, List<String>> snapshots,
        Map<String, ReadModel> models) {

    /** The read model of a projection; empty if it has none. */
    public ReadModel model(String projection) {
        return models.getOrDefault(projection, ReadModel.NONE);
    }
}
