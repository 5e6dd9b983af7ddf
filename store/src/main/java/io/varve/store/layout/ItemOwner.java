package io.varve.store.layout;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Tells which entity an item belongs to.
 *
 * <p>Keys are not escaped, so a key alone can be read in two ways: {@code a-P-b-P-x-0} is an event of {@code b-P-x} in journal {@code
 * a}, or of {@code x} in journal {@code a-P-b}. An item that holds its persistence id leaves no doubt, and then the whole key
 * is compared. The oldest events, low marks and entries of an index of bare keys do not hold it; only they can be taken for
 * another journal's, whose keys then are really the same.
 */
public record ItemOwner(JournalKeys keys) {

    /** The entity whose event, low mark or stand-in it is; empty if it is anything else, or another journal-name's. */
    public Optional<String> of(Map<String, AttributeValue> item) {
        @Nullable AttributeValue partition = item.get(Attributes.PARTITION);
        if (partition == null || partition.s() == null) {
            return Optional.empty();
        }
        @Nullable AttributeValue persistenceId = item.get(Attributes.PERSISTENCE_ID);
        return persistenceId == null
                ? numbered(isMark(item) ? keys.lowPrefix() : keys.eventPrefix(), partition.s())
                : Optional.of(persistenceId.s()).filter(id -> owns(id, partition.s()));
    }

    private boolean owns(String persistenceId, String partition) {
        return partition.equals(keys.standInPrefix() + persistenceId)
                || numbered(keys.eventPrefix(), partition)
                        .filter(persistenceId::equals)
                        .isPresent();
    }

    /** What stands between the prefix and the number at the end. */
    private static Optional<String> numbered(String prefix, String partition) {
        int dash = partition.lastIndexOf('-');
        boolean number = dash + 1 < partition.length()
                && partition.chars().skip(dash + 1).allMatch(c -> c >= '0' && c <= '9');
        return number && partition.startsWith(prefix) && dash > prefix.length()
                ? Optional.of(partition.substring(prefix.length(), dash))
                : Optional.empty();
    }

    /** An event without its id has no sequence number either, unless an index projects it; and then its place is not 0. */
    private static boolean isMark(Map<String, AttributeValue> item) {
        return item.containsKey(Attributes.SEQUENCE_NUMBER)
                && EventItems.number(item, Attributes.NUMBER).orElse(0L) == 0;
    }
}
