package io.varve.store.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.layout.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The owner of a query: the test's own thread, which goes on when the test says so, by the test's clock. */
final class TestSliceQuery implements AutoCloseable {
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final SliceQuery query;
    private final TestClock clock;

    TestSliceQuery(TestJournal journal, SliceQuerySettings settings, SliceQuery.Plan plan, SliceRange... ranges) {
        this.clock = journal.clock();
        this.query = new SliceQuery(journal.index(), journal.reader(), settings, plan, clock, tasks::add, () -> {});
        this.query.read(List.of(ranges));
    }

    SliceQuery query() {
        return query;
    }

    /** What comes until nothing is due any more at this moment, up to a number of events. */
    List<Event> take(int max) {
        List<Event> taken = new ArrayList<>();
        query.proceed();
        while (taken.size() < max) {
            runTasks();
            Event event = query.poll();
            if (event != null) {
                taken.add(event);
            } else if (query.isAtRest() && tasks.isEmpty()) {
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

    Optional<Throwable> failure() {
        return query.failure();
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private void waitForTask() {
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
