package io.varve.chaos.check;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The lines of all events that an account ever had, from its newest snapshot and the events after it; and what is wrong with them. */
final class AccountHistory {
    private static final int DIGEST_BYTES = 8;

    private final StoredAccount account;
    private final List<Violation> violations;
    private final List<String> lines = new ArrayList<>();

    private AccountHistory(StoredAccount account, List<Violation> violations) {
        this.account = account;
        this.violations = violations;
    }

    /** The lines, the first one at index 0. */
    static List<String> of(StoredAccount account, List<Violation> violations) {
        AccountHistory history = new AccountHistory(account, violations);
        history.build();
        history.compareEvents();
        history.compareSnapshots();
        return history.lines;
    }

    private void build() {
        TreeMap<Long, List<String>> snapshots = new TreeMap<>(account.snapshots());
        long snapshot = 0;
        if (!snapshots.isEmpty()) {
            snapshot = snapshots.lastKey();
            lines.addAll(snapshots.lastEntry().getValue());
            if (lines.size() != snapshot) {
                report("snapshot %d has the lines of %d events".formatted(snapshot, lines.size()));
            }
        }
        if (account.lowMark() > snapshot + 1) {
            report("events up to %d are deleted, but the newest snapshot is %d"
                    .formatted(account.lowMark() - 1, snapshot));
        }
        long next = Math.max(1, account.lowMark());
        for (StoredEvent event : account.events()) {
            if (event.number() >= account.lowMark()) {
                if (event.number() != next) {
                    report("numbers %d to %d are missing".formatted(next, event.number() - 1));
                }
                next = event.number() + 1;
            }
            if (event.number() > snapshot) {
                lines.add(event.line());
            }
        }
        if (next <= snapshot) {
            report("numbers %d to %d are missing".formatted(next, snapshot));
        }
    }

    private void compareEvents() {
        List<String> digests = digests();
        long timestamp = 0;
        for (StoredEvent event : account.events()) {
            int before = Math.toIntExact(event.number() - 1);
            if (before >= lines.size() || !lines.get(before).equals(event.line())) {
                report("event %d is '%s', but the history has another line there"
                        .formatted(event.number(), event.line()));
            } else if (!digests.get(before).equals(event.digestBefore())) {
                report("event %d (%s) was stored on another history".formatted(event.number(), event.line()));
            }
            if (event.timestamp() <= timestamp) {
                report("event %d has the timestamp %d after %d"
                        .formatted(event.number(), event.timestamp(), timestamp));
            }
            timestamp = event.timestamp();
        }
    }

    private void compareSnapshots() {
        for (Map.Entry<Long, List<String>> snapshot : account.snapshots().entrySet()) {
            List<String> saved = snapshot.getValue();
            if (saved.size() > lines.size() || !lines.subList(0, saved.size()).equals(saved)) {
                report("snapshot %d has another history than the events".formatted(snapshot.getKey()));
            }
        }
    }

    /** The digest before each line, and after the last one. */
    private List<String> digests() {
        List<String> digests = new ArrayList<>(List.of(""));
        for (String line : lines) {
            digests.add(digest(digests.get(digests.size() - 1) + " " + line));
        }
        return digests;
    }

    static String digest(String text) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(all, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void report(String what) {
        violations.add(new Violation(account.id(), what));
    }
}
