package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.replay.Replayer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two owners of one entity whose requests take effect and are answered in any order: they write, are rejected, delete, stop,
 * recover, and die with requests under way that arrive later. {@code -Dvarve.interleavings=N} runs more,
 * {@code -Dvarve.first-interleaving=N} begins at the seed that a failure names.
 */
@ExtendWith(JournalFixture.Extension.class)
class InterleavedRequestsTest {
    private static final int INTERLEAVINGS = Integer.getInteger("varve.interleavings", 12);
    private static final int FIRST = Integer.getInteger("varve.first-interleaving", 0);
    private static final int STEPS = 160;
    private static final String TOO_LARGE = "x".repeat(ItemSize.MAX);

    private final JournalFixture journal;

    InterleavedRequestsTest(JournalFixture journal) {
        this.journal = journal;
    }

    @Test
    void anyOrderOfRequestsAndAnswers_losesNothing() {
        for (int seed = FIRST; seed < FIRST + INTERLEAVINGS; seed++) {
            Interleaving interleaving = new Interleaving(seed);
            try {
                interleaving.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "Interleaving " + seed + " failed (-Dvarve.first-interleaving=" + seed + "):\n  "
                                + String.join("\n  ", interleaving.requests.log()),
                        e);
            }
        }
    }

    private final class Interleaving {
        private final Random random;
        private final SteppedClient requests;
        private final String persistenceId;
        private final Truth truth = new Truth();
        private final List<Owner> owners = new ArrayList<>();
        private int nodes;

        Interleaving(int seed) {
            this.random = new Random(seed);
            this.requests = new SteppedClient(journal.direct(), random);
            this.persistenceId = "cart|" + seed;
        }

        void run() {
            if (random.nextBoolean()) {
                long border = 100L * (1 + random.nextInt(2)) - 1 - random.nextInt(5);
                TestStore before = journal.directNode().build();
                List<NewEvent> events = LongStream.rangeClosed(1, border)
                        .mapToObj(n -> before.event(n, "before-" + n))
                        .toList();
                TestStore.await(before.appendAsync(persistenceId, new AppendRequest(persistenceId, events)));
                Map<Long, String> known = new TreeMap<>();
                events.forEach(e -> known.put(e.sequenceNumber(), TestStore.text(e)));
                truth.acknowledged(known, border);
            }
            owners.add(new Owner());
            owners.add(new Owner());
            for (int step = 0; step < STEPS; step++) {
                if (requests.isIdle() || random.nextInt(4) == 0) {
                    owners.get(random.nextInt(owners.size())).act();
                } else {
                    requests.step();
                }
            }
            requests.withoutFaults();
            while (!requests.isIdle()) {
                requests.step();
            }
            check();
        }

        /** When all is quiet: what a fresh node recovers, and that it can go on from there. */
        private void check() {
            requests.note("-- the end");
            TestStore fresh = journal.directNode().build();
            truth.recovered(truth.now(), 0, fresh.highest(persistenceId), fresh.recover(persistenceId));
            long next = fresh.highest(persistenceId) + 1;
            assertThat(fresh.append(persistenceId, next, next)).isInstanceOf(AppendResult.Stored.class);
            assertThat(journal.directNode().build().recover(persistenceId))
                    .last()
                    .extracting(Event::sequenceNumber)
                    .isEqualTo(next);
        }

        /** An entity as an actor is one: it recovers, writes one after the other, and stops when a write fails. */
        private final class Owner {
            private String name = "";
            private TestStore node = newNode();
            private boolean busy;
            private int life;
            private @Nullable Map<Long, String> known;
            private long last;

            private TestStore newNode() {
                name = "node" + nodes++;
                return TestStore.on(requests.client(name), journal.table())
                        .executor(Runnable::run)
                        .withoutRetries()
                        .build();
            }

            void act() {
                int what = random.nextInt(20);
                if (what == 0) {
                    requests.note(name + " dies");
                    node = newNode();
                    stop();
                } else if (what == 1) {
                    requests.note(name + " stops the entity");
                    stop();
                } else if (busy) {
                    return; // an actor waits for its write
                } else if (known == null) {
                    recover();
                } else if (what < 5) {
                    delete();
                } else {
                    write(what);
                }
            }

            private void stop() {
                life++;
                busy = false;
                known = null;
            }

            private void recover() {
                node.newWriter();
                Truth.Moment begin = truth.now();
                List<Event> events = new ArrayList<>();
                long[] highest = new long[1];
                long snapshot = random.nextInt(3) == 0 ? (long) (random.nextDouble() * (begin.highest() + 1)) : 0;
                requests.note(name + " recovers from " + snapshot);
                CompletionStage<Void> recovery = node.store()
                        .highestSequenceNumber(persistenceId, snapshot)
                        .thenCompose(found -> {
                            highest[0] = found;
                            return node.store()
                                    .replay(
                                            new Replayer.Range(persistenceId, snapshot + 1, found, Long.MAX_VALUE),
                                            page -> {
                                                events.addAll(page);
                                                return CompletableFuture.completedFuture(null);
                                            });
                        });
                during(recovery, done -> {
                    requests.note(name + " recovered up to " + highest[0] + ": "
                            + events.stream().map(Event::sequenceNumber).toList());
                    known = truth.recovered(begin, snapshot, highest[0], events);
                    last = highest[0];
                });
            }

            private void delete() {
                long to = random.nextBoolean() ? last : 1 + (long) (random.nextDouble() * last);
                requests.note(name + " deletes up to " + to);
                truth.deleting(to);
                node.store().delete(persistenceId, to); // an actor does not wait for it
            }

            private void write(int what) {
                int size = what < 15 ? 1 : what < 19 ? 2 + random.nextInt(3) : 101 + random.nextInt(20);
                boolean rejected = size < 5 && random.nextInt(6) == 0;
                long first = last + 1;
                last += size;
                Map<Long, String> after = new TreeMap<>(known == null ? Map.of() : known);
                List<NewEvent> events = new ArrayList<>();
                for (long n = first; n <= last; n++) {
                    String text = rejected ? TOO_LARGE : node.writer() + "/" + n;
                    events.add(node.event(n, text));
                    after.put(n, text);
                }
                long end = last;
                requests.note(name + " writes " + first + ".." + last + (rejected ? ", too large" : ""));
                if (!rejected) {
                    truth.trying(events);
                }
                during(node.appendAsync(persistenceId, new AppendRequest(persistenceId, events)), results -> {
                    assertThat(results.get(0) instanceof AppendResult.Rejected).isEqualTo(rejected);
                    if (!rejected) {
                        requests.note(name + " has stored " + first + ".." + end);
                        truth.acknowledged(after, end);
                        if (known != null) {
                            known.putAll(after);
                        }
                    }
                });
            }

            private <T> void during(CompletionStage<T> operation, Consumer<T> then) {
                busy = true;
                int now = life;
                operation.whenComplete((result, thrown) -> {
                    if (thrown != null) {
                        requests.note(name + " failed: " + thrown);
                        if (!(Causes.unwrap(thrown) instanceof VarveException)) {
                            truth.broken(new AssertionError("an exception that is none of ours", thrown));
                        }
                        if (now == life) {
                            stop();
                        }
                        return;
                    }
                    try {
                        if (now == life) {
                            busy = false;
                            then.accept(result);
                        }
                    } catch (AssertionError e) {
                        truth.broken(e);
                    }
                });
            }
        }
    }

    /** What holds of one entity, whatever its owners do. */
    private static final class Truth {
        /** What was settled when something began. */
        private record Moment(long highest, NavigableMap<Long, String> settled) {}

        private final Map<Long, String> settled = new TreeMap<>();
        private final List<List<NewEvent>> tried = new ArrayList<>();
        private long settledTo;
        private long deletedTo;
        private @Nullable AssertionError broken;

        Moment now() {
            if (broken != null) {
                throw broken;
            }
            return new Moment(settledTo, new TreeMap<>(settled));
        }

        void broken(AssertionError e) {
            broken = broken == null ? e : broken;
        }

        void trying(List<NewEvent> events) {
            tried.add(events);
        }

        void deleting(long to) {
            deletedTo = Math.max(deletedTo, to);
        }

        /** A write that ends at {@code end} was acknowledged to an owner that knows {@code history} up to there. */
        void acknowledged(Map<Long, String> history, long end) {
            history.forEach((number, text) -> {
                if (number > deletedTo && number <= settledTo) {
                    assertThat(settled)
                            .as("what an owner builds on is what was acknowledged")
                            .containsEntry(number, text);
                }
                if (number <= end) {
                    settled.put(number, text);
                }
            });
            settledTo = Math.max(settledTo, end);
        }

        /** A recovery from a snapshot, which began at that moment, found these events; returns the history that it has now. */
        Map<Long, String> recovered(Moment begin, long snapshot, long highest, List<Event> events) {
            assertThat(highest).as("the highest number never goes down").isGreaterThanOrEqualTo(begin.highest);
            Map<Long, String> found = new TreeMap<>(begin.settled.headMap(snapshot, true));
            long lastNumber = 0;
            long lastTime = 0;
            for (Event event : events) {
                assertThat(event.sequenceNumber()).as("in order").isGreaterThan(lastNumber);
                assertThat(event.timestamp()).as("timestamps rise").isGreaterThan(lastTime);
                lastNumber = event.sequenceNumber();
                lastTime = event.timestamp();
                found.put(lastNumber, TestStore.text(event));
            }
            begin.settled.forEach((number, text) -> {
                if (number > deletedTo) {
                    assertThat(found).as("acknowledged means recovered").containsEntry(number, text);
                }
            });
            found.forEach((number, text) -> {
                if (number > deletedTo && number <= begin.highest) {
                    assertThat(begin.settled)
                            .as("nothing appears behind what was acknowledged")
                            .containsEntry(number, text);
                }
            });
            for (List<NewEvent> write : tried) {
                long there = write.stream()
                        .filter(e -> TestStore.text(e).equals(found.get(e.sequenceNumber())))
                        .count();
                long first = write.get(0).sequenceNumber();
                assertThat(there == 0 || there == write.size() || first <= deletedTo)
                        .as("the atomic write from %d on is whole or not there, not %d of it", first, there)
                        .isTrue();
            }
            return found;
        }
    }
}
