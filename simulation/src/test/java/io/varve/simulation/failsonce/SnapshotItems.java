package io.varve.simulation.failsonce;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads the snapshots' table as docs/design/storage.md describes it, without the store. */
public final class SnapshotItems {
    private final List<Map<String, AttributeValue>> items;

    public SnapshotItems(Server server) {
        this.items = server.items(ServiceTables.SNAPSHOTS);
    }

    /** The snapshots that were saved are there, whole, and no part or entry but theirs. */
    public void compare(SnapshotBook book) {
        Set<String> needed = new TreeSet<>();
        for (long number : book.numbers()) {
            Optional<Map<String, AttributeValue>> head = items.stream()
                    .filter(item -> is(item, ServiceTables.NAME + "-P-" + book.id(), number))
                    .findFirst();
            Optional<String> stored = head.map(item -> content(item, needed));
            Broken.unless(stored.equals(book.at(number)), "The table has another snapshot %d of %s", number, book.id());
        }
        Set<String> parts = new TreeSet<>();
        String prefix = ServiceTables.NAME + "-PART-" + book.id();
        for (Map<String, AttributeValue> item : items) {
            String partition = Items.text(item, "par");
            if (partition.equals(prefix)) {
                String set = prefix + "-" + Items.number(item, "of_seq") + "-" + Items.number(item, "seq");
                Broken.unless(
                        needed.contains(set + "-0"), "The table still lists the set %s, which no snapshot has", set);
            } else if (partition.startsWith(prefix)) {
                parts.add(partition);
            }
        }
        Broken.unless(parts.equals(needed), "The table has the parts %s, but needs %s", parts, needed);
    }

    private static boolean is(Map<String, AttributeValue> item, String partition, long number) {
        return Items.text(item, "par").equals(partition) && Items.number(item, "seq") == number;
    }

    private String content(Map<String, AttributeValue> head, Set<String> needed) {
        if (head.containsKey("pay_data")) {
            return Items.bytes(head, "pay_data");
        }
        String key = Items.text(head, "part_key");
        StringBuilder text = new StringBuilder();
        IntStream.range(0, (int) Items.number(head, "parts")).forEach(number -> {
            String partition = key + "-" + number;
            needed.add(partition);
            Map<String, AttributeValue> part = items.stream()
                    .filter(item -> is(item, partition, number))
                    .findFirst()
                    .orElseThrow(() -> new Broken("The part " + partition + " is missing"));
            text.append(Items.bytes(part, "data"));
        });
        return text.toString();
    }
}
