package io.varve.store.internal.journal;

import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.replay.RecoveryStart;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the store remembers of entities between calls. All of it is bounded, and all of it can be forgotten: it is then read
 * again.
 */
final class EntityMemory {
    private static final int MAX_HEADS = 100_000;
    private static final int MAX_TAILS = 100;
    /** How many instances of one entity are told apart on one node: more do not live at once. */
    private static final int MAX_WRITERS = 8;

    private static final Duration TAIL_LIFETIME = Duration.ofSeconds(10);

    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final Map<String, Known> heads = leastRecentlyUsed(MAX_HEADS);
    private final Map<String, Long> cleanTo = leastRecentlyUsed(MAX_HEADS);
    private final Map<String, RecoveryStart> tails = leastRecentlyUsed(MAX_TAILS);

    /** EntityMemory of a store; pauses of their writers are measured with {@code nanoTime}, which no change of the clock affects. */
    EntityMemory(InstantSource clock, LongSupplier nanoTime) {
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /**
     * The end of an entity as it was at a moment.
     *
     * @param certain false after a write that failed: then the end may be further
     * @param writer whose event it is; nobody's once an instance has recovered, because that one may go on from there
     * @param ends the end that each writer goes on from
     */
    private record Known(LastWritten head, long at, boolean certain, Optional<String> writer, Map<String, Long> ends) {

        Known(LastWritten head, long at) {
            this(head, at, true, Optional.empty(), Map.of());
        }

        Known at(long moment) {
            return new Known(head, Math.max(at, moment), certain, writer, ends);
        }

        Known uncertain() {
            return new Known(head, at, false, writer, ends);
        }

        Known ofNobody() {
            return new Known(head, at, certain, Optional.empty(), ends);
        }

        Known storedBy(String name, LastWritten end, long moment) {
            return new Known(end, Math.max(at, moment), true, Optional.of(name), ends)
                    .goesOn(name, end.sequenceNumber());
        }

        /** Nearly always there is one writer. */
        Known goesOn(String name, long from) {
            if (Objects.equals(ends.get(name), from)) {
                return this;
            }
            if (ends.isEmpty() || (ends.size() == 1 && ends.containsKey(name))) {
                return with(Map.of(name, from));
            }
            Map<String, Long> all = leastRecentlyUsed(MAX_WRITERS);
            all.putAll(ends);
            all.put(name, from);
            return with(all);
        }

        Known without(String name) {
            Map<String, Long> others = leastRecentlyUsed(MAX_WRITERS);
            others.putAll(ends);
            others.remove(name);
            return with(others);
        }

        private Known with(Map<String, Long> others) {
            return new Known(head, at, certain, writer, others);
        }

        /** One that was asked for long ago may be answered after events were stored. */
        Known later(Known read) {
            Known last = read.head.sequenceNumber() < head.sequenceNumber() ? this : read;
            long timestamp = Math.max(head.timestamp(), read.head.timestamp());
            return new Known(
                    new LastWritten(last.head.sequenceNumber(), timestamp, last.head.assumed()),
                    Math.max(at, read.at),
                    last.certain,
                    writer,
                    ends);
        }
    }

    /** The moment to which something applies that is read or written from now on. */
    long now() {
        return nanoTime.getAsLong();
    }

    /** The end of an entity, if nobody but another writer can have moved it. */
    synchronized Optional<LastWritten> head(String persistenceId) {
        return Optional.ofNullable(heads.get(persistenceId))
                .filter(Known::certain)
                .map(Known::head);
    }

    /** Whether the end of the entity was moved by another writer on this node, and nobody has recovered since. */
    synchronized boolean isOfAnother(String persistenceId, String writer) {
        Known known = heads.get(persistenceId);
        return known != null
                && known.writer().filter(last -> !last.equals(writer)).isPresent();
    }

    /**
     * Whether a writer on this node goes on from another end than it has known: another instance has moved it meanwhile, though
     * numbers may not show it, because those that the writer was refused follow them.
     */
    synchronized boolean isOvertaken(String persistenceId, String writer, long head) {
        Known known = heads.get(persistenceId);
        @Nullable Long from = known == null ? null : known.ends().get(writer);
        return from != null && from < head;
    }

    /** A writer goes on from here: what it writes follows this end, or is refused. */
    synchronized void goesOn(String persistenceId, String writer, long head) {
        heads.computeIfPresent(persistenceId, (id, known) -> known.goesOn(writer, head));
    }

    /** A writer has failed. Before it writes again it recovers, and then knows another end. */
    synchronized void failed(String persistenceId, String writer) {
        heads.computeIfPresent(persistenceId, (id, known) -> known.without(writer));
    }

    /** Whether the end of the entity was not read or moved by this node for longer than that. */
    synchronized boolean isOlderThan(String persistenceId, Duration age) {
        Known known = heads.get(persistenceId);
        return known == null || nanoTime.getAsLong() - known.at() > age.toNanos();
    }

    /** Nobody else had moved the end of the entity at that moment. */
    synchronized void checked(String persistenceId, long at) {
        heads.computeIfPresent(persistenceId, (id, known) -> known.at(at));
    }

    /** Hears how far a write that begins now has come; each step of it begins when the one before is stored. */
    Consumer<LastWritten> writing(String persistenceId, String writer) {
        AtomicLong begun = new AtomicLong(now());
        return head -> stored(persistenceId, writer, head, begun.getAndSet(now()));
    }

    /** Events were stored up to this head by a write that began at that moment. */
    synchronized void stored(String persistenceId, String writer, LastWritten head, long at) {
        Known known = heads.get(persistenceId);
        heads.put(persistenceId, (known == null ? new Known(head, at) : known).storedBy(writer, head, at));
        tails.remove(persistenceId);
    }

    /** What is stored is no longer certain, but for what was before. */
    synchronized void doubt(String persistenceId) {
        heads.computeIfPresent(persistenceId, (id, known) -> known.uncertain());
        tails.remove(persistenceId);
    }

    /** The head that counts for a writer, given one that was read: not one below what is known here. */
    synchronized LastWritten read(String persistenceId, LastWritten read, long at) {
        return heads.merge(persistenceId, new Known(read, at), Known::later).head();
    }

    /** The head that counts for one that recovers; whoever wrote up to there, it may go on. */
    synchronized LastWritten recovered(String persistenceId, LastWritten read, long at) {
        LastWritten head = read(persistenceId, read, at);
        heads.computeIfPresent(persistenceId, (id, known) -> known.ofNobody());
        return head;
    }

    /** Keeps what was read for the replay that follows at once, if it follows. */
    synchronized void keep(String persistenceId, RecoveryStart tail) {
        dropOldTails();
        tails.put(persistenceId, tail);
    }

    synchronized Optional<RecoveryStart> takeTail(String persistenceId) {
        dropOldTails();
        return Optional.ofNullable(tails.remove(persistenceId));
    }

    private void dropOldTails() {
        Instant oldest = clock.instant().minus(TAIL_LIFETIME);
        tails.values().removeIf(tail -> tail.readAt().isBefore(oldest));
    }

    /** Up to where nothing is left of the entity's deleted events, as far as is known here. */
    synchronized long cleanTo(String persistenceId) {
        @Nullable Long known = cleanTo.get(persistenceId);
        return known == null ? 0 : known;
    }

    synchronized void cleaned(String persistenceId, long to) {
        cleanTo.put(persistenceId, to);
    }

    private static <V> Map<String, V> leastRecentlyUsed(int limit) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > limit;
            }
        };
    }
}
