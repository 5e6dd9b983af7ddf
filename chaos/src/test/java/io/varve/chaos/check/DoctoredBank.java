package io.varve.chaos.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A small bank whose books are right, until a test changes them. */
final class DoctoredBank {
    static final String DELETING = "account|a1";
    static final String KEEPING = "account|keep1";
    private static final int SNAPSHOT = 4;
    private static final int FIRST_LEFT = 3;

    final List<String> log = new ArrayList<>();
    final Map<String, List<String>> lines = new HashMap<>();
    final Map<String, List<StoredEvent>> events = new HashMap<>();
    final Map<String, Map<Long, List<String>>> snapshots = new HashMap<>();
    final Map<String, Map<String, ReadModel>> models = new HashMap<>();
    final Map<String, Integer> rewinds = new HashMap<>();
    private final Map<String, Long> lowMarks = new HashMap<>();

    /** Seven events each: an opening, a batch of three, and transfers; two of the first account's are deleted. */
    DoctoredBank() {
        store("oa1", DELETING, 1000);
        store("okeep1", KEEPING, 1000);
        store("c1-1b", DELETING, 5, -5, 1);
        store("c1-2b", KEEPING, 5, -5, 1);
        for (int i = 3; i <= 5; i++) {
            store("c1-" + i + "w", DELETING, -10);
            store("c1-" + i + "d", KEEPING, 10);
        }
        lines.forEach((account, all) -> {
            events.put(account, stored(all));
            Map<String, ReadModel> read = new HashMap<>();
            List<Long> numbers = LongStream.rangeClosed(1, all.size()).boxed().toList();
            for (String projection : List.of("exactly-once", "grouped", "at-least-once")) {
                read.put(projection, new ReadModel(numbers, sum(all, numbers)));
            }
            List<Long> tagged = numbers.stream()
                    .filter(number -> Operation.amountIn(all.get((int) (number - 1))) < 0)
                    .toList();
            read.put("tagged", new ReadModel(tagged, sum(all, tagged)));
            models.put(account, read);
            snapshots.put(account, new HashMap<>(Map.of((long) SNAPSHOT, List.copyOf(all.subList(0, SNAPSHOT)))));
        });
        of(events, DELETING).subList(0, FIRST_LEFT - 1).clear();
        lowMarks.put(DELETING, (long) FIRST_LEFT);
    }

    static <T> T of(Map<String, T> map, String account) {
        T value = map.get(account);
        if (value == null) {
            throw new IllegalArgumentException(account);
        }
        return value;
    }

    private void store(String operation, String account, long... amounts) {
        List<String> all = lines.computeIfAbsent(account, key -> new ArrayList<>());
        List<Long> list = LongStream.of(amounts).boxed().toList();
        String text = String.join(",", list.stream().map(Object::toString).toList());
        log.add("t\tINVOKE\t" + operation + "\t" + account + "\t" + text + "\tnode 1");
        log.add("t\tOK\t" + operation + "\t" + (all.size() + 1));
        all.addAll(new Operation(operation, account, list).lines());
    }

    /** Events with these lines, as an entity would store them. */
    static List<StoredEvent> stored(List<String> lines) {
        List<StoredEvent> stored = new ArrayList<>();
        String digest = "";
        for (int i = 0; i < lines.size(); i++) {
            stored.add(new StoredEvent(i + 1, lines.get(i), digest, 1000L + i));
            digest = AccountHistory.digest(digest + " " + lines.get(i));
        }
        return stored;
    }

    static long sum(List<String> lines, List<Long> numbers) {
        return numbers.stream()
                .mapToLong(number -> Operation.amountIn(lines.get((int) (number - 1))))
                .sum();
    }

    /** Replaces what a projection has processed. */
    void processed(String account, String projection, long... numbers) {
        List<Long> list = LongStream.of(numbers).boxed().toList();
        of(models, account).put(projection, new ReadModel(list, sum(of(lines, account), list)));
    }

    /** Removes what was stored under a number. */
    void remove(String account, long number) {
        of(events, account).removeIf(event -> event.number() == number);
    }

    /** Stores another line at the end, with all that belongs to it. */
    void append(String account, String line) {
        List<String> all = of(lines, account);
        all.add(line);
        StoredEvent last = stored(all).get(all.size() - 1);
        of(events, account).add(last);
        for (String projection : List.of("exactly-once", "grouped", "at-least-once")) {
            processed(
                    account,
                    projection,
                    IntStream.rangeClosed(1, all.size()).asLongStream().toArray());
        }
    }

    List<String> violations() {
        return result().violations().stream().map(Violation::toString).toList();
    }

    BankCheck.Result result() {
        List<StoredAccount> accounts = lines.keySet().stream()
                .map(id -> new StoredAccount(
                        id, lowMarks.getOrDefault(id, 0L), of(events, id), of(snapshots, id), of(models, id)))
                .toList();
        return new BankCheck(accounts, OperationLog.of(log), rewinds).run();
    }
}
