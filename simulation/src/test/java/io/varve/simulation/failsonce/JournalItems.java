package io.varve.simulation.failsonce;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads the journal's table as docs/design/storage.md describes it, without the store. */
public final class JournalItems {
    /** What may be in the table that nobody replays. */
    public enum Leftovers {
        /** Deleted events, and parts of writes that failed. */
        OF_ALL_THAT_FAILED,
        /** Parts of writes that failed, which the next write removes. */
        OF_WRITES,
        NONE
    }

    private static final int GROUP = 100;

    private final List<Map<String, AttributeValue>> items;

    public JournalItems(Server server) {
        this.items = server.items(ServiceTables.JOURNAL);
    }

    /** The items under an entity's numbers: events and placeholders. */
    private SortedMap<Long, Map<String, AttributeValue>> numbers(String entity) {
        String prefix = ServiceTables.NAME + "-P-" + entity + "-";
        SortedMap<Long, Map<String, AttributeValue>> found = new TreeMap<>();
        for (Map<String, AttributeValue> item : items) {
            String partition = Items.text(item, "par");
            if (partition.startsWith(prefix)) {
                long group = Long.parseLong(partition.substring(prefix.length()));
                found.put(GROUP * group + Items.number(item, "num"), item);
            }
        }
        return found;
    }

    private long mark(String kind, String entity) {
        String prefix = ServiceTables.NAME + "-" + kind + "-" + entity + "-";
        return items.stream()
                .filter(item -> Items.text(item, "par").startsWith(prefix))
                .mapToLong(item -> Items.number(item, "seq"))
                .max()
                .orElse(0);
    }

    /** Compares the items with what was acknowledged: all of it is there, and nothing else but some leftovers. */
    public void compare(EntityBook book, Leftovers leftovers) {
        SortedMap<Long, String> expected = book.events();
        SortedMap<Long, Map<String, AttributeValue>> found = numbers(book.id());
        SortedMap<Long, String> texts = new TreeMap<>();
        long timestamp = 0;
        for (Map.Entry<Long, Map<String, AttributeValue>> entry : found.entrySet()) {
            Map<String, AttributeValue> item = entry.getValue();
            long itsOwn = Items.number(item, "ts");
            Broken.unless(itsOwn > timestamp, "%s has timestamps that go back at %d", book.id(), entry.getKey());
            timestamp = itsOwn;
            if (entry.getKey() <= book.deletedTo()) {
                Broken.unless(
                        leftovers == Leftovers.OF_ALL_THAT_FAILED,
                        "%s still has the deleted event %d",
                        book.id(),
                        entry.getKey());
            } else if (!item.containsKey("placeholder")) {
                String text = Items.bytes(item, "event");
                if (leftovers == Leftovers.NONE || !book.isOfAFailedWrite(text)) {
                    texts.put(entry.getKey(), text);
                }
            }
        }
        Broken.unless(texts.equals(expected), "The table has %s of %s, but it was %s", texts, book.id(), expected);
        long low = mark("SL", book.id());
        Broken.unless(
                low == (book.deletedTo() == 0 ? 0 : book.deletedTo() + 1),
                "The low mark of %s is %d, but %d was deleted last",
                book.id(),
                low,
                book.deletedTo());
        long last = expected.isEmpty() ? 0 : expected.lastKey() / GROUP * GROUP;
        long high = mark("SH", book.id());
        Broken.unless(high >= last, "The high mark of %s is %d instead of %d", book.id(), high, last);
    }
}
