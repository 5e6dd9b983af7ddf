package io.varve.store.internal.layout;

import java.util.Optional;

/**
 * Tells which entity an item belongs to.
 *
 * <p>Keys are not escaped, so a key alone can be read in two ways: {@code a-P-b-P-x-0} is an event of {@code b-P-x} in journal {@code
 * a}, or of {@code x} in journal {@code a-P-b}. An item that holds its persistence id leaves no doubt, and then the whole key
 * is compared. The oldest events, low marks and entries of an index of bare keys do not hold it; only they can be taken for
 * another journal's, whose keys then are really the same.
 */
public record ItemOwner(JournalKeys keys) {
    private static final String LAST_GROUP = Long.toString(JournalKeys.group(Item.LAST_SEQUENCE_NUMBER));

    /** The entity whose event, low mark or stand-in it is; empty if it is anything else, or another journal-name's. */
    public Optional<String> of(Item item) {
        String partition = item.findText(Attributes.PARTITION).orElse("");
        Optional<String> persistenceId = item.findText(Attributes.PERSISTENCE_ID);
        return persistenceId.isEmpty()
                ? numbered(isMark(item) ? keys.lowPrefix() : keys.eventPrefix(), partition)
                : persistenceId.filter(id -> owns(id, partition));
    }

    /** The event of an item that an index has found; empty if it is anything else, or another journal-name's. */
    public Optional<Event> event(Item item) {
        return of(item).filter(id -> item.text(Attributes.PARTITION).startsWith(keys.eventPrefix()))
                .map(id -> EventItems.decode(id, group(item), item));
    }

    private static long group(Item item) {
        String partition = item.text(Attributes.PARTITION);
        String digits = partition.substring(partition.lastIndexOf('-') + 1);
        boolean fits = digits.length() < LAST_GROUP.length()
                || (digits.length() == LAST_GROUP.length() && digits.compareTo(LAST_GROUP) <= 0);
        if (!fits || (digits.startsWith("0") && digits.length() > 1)) {
            throw item.wrong(Attributes.PARTITION, "ends with a group that cannot be");
        }
        return Long.parseLong(digits);
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
    private static boolean isMark(Item item) {
        return item.has(Attributes.SEQUENCE_NUMBER)
                && item.findNumber(Attributes.NUMBER, 0, JournalKeys.GROUP_SIZE - 1)
                                .orElse(0)
                        == 0;
    }
}
