package io.varve.store.internal.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** The owner of a query: the test's own thread, which goes on when the test says so, by the test's clock. */
final class TestSliceQuery implements AutoCloseable {
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final SliceQuery query;
    private final TestClock clock;

    TestSliceQuery(TestJournal journal, SliceQuerySettings settings, SliceQuery.Plan plan, SliceRange... ranges) {
        this(journal, journal.index(), settings, plan, ranges);
    }

    TestSliceQuery(
            TestJournal journal,
            SliceIndex index,
            SliceQuerySettings settings,
            SliceQuery.Plan plan,
            SliceRange... ranges) {
        this.clock = journal.clock();
        this.query = new SliceQuery(index, journal.reader(), settings, plan, clock, tasks::add, () -> {});
        this.query.read(List.of(ranges));
    }

    /** A live query of all carts, from the beginning. */
    static TestSliceQuery live(TestJournal journal, TestSettings settings) {
        return live(journal, settings, SliceStart.BEGINNING);
    }

    /** A live query of all carts whose consumer keeps one offset. */
    static TestSliceQuery live(TestJournal journal, TestSettings settings, SliceStart start) {
        return new TestSliceQuery(
                journal,
                settings.get(),
                new SliceQuery.Plan((type, slice) -> start, false, true),
                SliceRange.all("cart"));
    }

    /** A live query of all carts whose consumer keeps an offset for each slice. */
    static TestSliceQuery perSlice(TestJournal journal, TestSettings settings, IntFunction<SliceStart> starts) {
        return new TestSliceQuery(
                journal,
                settings.get(),
                new SliceQuery.Plan((type, slice) -> starts.apply(slice), true, true),
                SliceRange.all("cart"));
    }

    /** A query of what is there. */
    static TestSliceQuery current(TestJournal journal, TestSettings settings, SliceStart start, SliceRange... ranges) {
        return new TestSliceQuery(
                journal, settings.get(), new SliceQuery.Plan((type, slice) -> start, false, false), ranges);
    }

    static TestSliceQuery current(TestJournal journal, TestSettings settings) {
        return current(journal, settings, SliceStart.BEGINNING, SliceRange.all("cart"));
    }

    SliceQuery query() {
        return query;
    }

    /** What comes until nothing is due any more at this moment, up to a number of events. Asks after each task. */
    List<Event> take(int max) {
        return takeDeliveries(max).stream().map(SliceEvent::event).toList();
    }

    /** As {@link #take}, with what is complete after each event. */
    List<SliceEvent> takeDeliveries(int max) {
        List<SliceEvent> taken = new ArrayList<>();
        query.proceed();
        while (taken.size() < max) {
            SliceEvent delivery = query.poll();
            Runnable task = delivery == null ? tasks.poll() : null;
            if (delivery != null) {
                taken.add(delivery);
            } else if (task != null) {
                task.run();
            } else if (query.isAtRest()) {
                break;
            } else {
                waitForTask();
            }
        }
        return taken;
    }

    List<Event> take() {
        return take(Integer.MAX_VALUE);
    }

    /** What comes while the clock moves on, step by step. */
    List<Event> takeDuring(Duration time, Duration step) {
        List<Event> taken = new ArrayList<>();
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
            clock.advance(step);
            taken.addAll(take());
        }
        return taken;
    }

    /** What comes while the clock moves on, each time to when the query wants to go on. */
    List<Event> takeDuring(Duration time) {
        List<Event> taken = new ArrayList<>(take());
        for (Duration left = time; !left.isZero(); ) {
            Duration limit = left;
            Duration step = query.untilNextStep()
                    .filter(next -> next.compareTo(limit) < 0)
                    .orElse(limit);
            clock.advance(step);
            left = left.minus(step);
            taken.addAll(take());
        }
        return taken;
    }

    /** Runs what has been answered, and takes nothing. */
    void runUntilQuiet() {
        query.proceed();
        while (!query.isAtRest() || !tasks.isEmpty()) {
            waitForTask();
        }
    }

    /** Runs answers until something has happened elsewhere. */
    void runUntil(BooleanSupplier happened) {
        Awaitility.await().pollInterval(Duration.ofMillis(1)).pollInSameThread().until(() -> {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            return happened.getAsBoolean();
        });
    }

    Optional<Throwable> failure() {
        return query.failure();
    }

    /** Runs the next answer. */
    void waitForTask() {
        try {
            @Nullable Runnable task = tasks.poll(30, TimeUnit.SECONDS);
            assertThat(task).as("an answer within 30 seconds").isNotNull();
            task.run();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        query.close();
    }
}
