package io.varve.simulation;

import io.varve.projection.internal.progress.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.jspecify.annotations.Nullable;

/** Puts events into groups, by their number or after some time, and has one group after another dealt with. */
final class EventGroups {
    private static final int SIZE = 5;
    private static final Duration WITHIN = Duration.ofMillis(300);

    private final ProjectionRun run;
    private final Function<List<InFlight<String>>, CompletionStage<Done>> action;
    private List<InFlight<String>> group = new ArrayList<>();
    private World.@Nullable Task due;
    private boolean isDue;
    private boolean busy;

    EventGroups(ProjectionRun run, Function<List<InFlight<String>>, CompletionStage<Done>> action) {
        this.run = run;
        this.action = action;
    }

    boolean hasRoom() {
        return group.size() < SIZE;
    }

    void add(InFlight<String> event) {
        group.add(event);
        if (group.size() == 1) {
            due = run.soon(WITHIN, this::close);
        }
        if (group.size() == SIZE) {
            close();
        }
    }

    /** Nothing is added to the group any more. */
    void close() {
        if (due != null) {
            due.callOff();
        }
        isDue = !group.isEmpty();
        next();
    }

    private void next() {
        if (busy || !isDue) {
            return;
        }
        List<InFlight<String>> closed = group;
        group = new ArrayList<>();
        isDue = false;
        busy = true;
        run.then(action.apply(closed), done -> {
            busy = false;
            next();
            run.hasRoom();
        });
    }
}
