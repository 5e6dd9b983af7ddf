package io.varve.simulation;

import io.varve.projection.internal.admission.Admission;
import io.varve.projection.internal.admission.Admitted;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.pekko.persistence.query.Offset;
import org.jspecify.annotations.Nullable;

/** What an instance of a projection does with events from when they come until they are handed on: they wait, are judged, and wait. */
final class ProjectionIntake {
    private static final int ADMITTED_AT_ONCE = 100;

    private final ProjectionSetup setup;
    private final ProjectionRun run;
    private final EventReader journal;
    private final StreamProgress progress;
    private final Admission<String> admission;
    private final OffsetSaver saver;
    private final OutageRetries outages;
    private final ProjectionDelivery delivery;
    private final List<InFlight<String>> incoming = new ArrayList<>();
    /** What the query waits for. */
    private @Nullable Runnable taken;
    /** What was let in waits for room. */
    private @Nullable Runnable letIn;

    private boolean admitting;

    ProjectionIntake(
            ProjectionSetup setup,
            ProjectionRun run,
            EventReader journal,
            StreamProgress progress,
            Admission<String> admission,
            OffsetSaver saver,
            OutageRetries outages,
            ProjectionDelivery delivery) {
        this.setup = setup;
        this.run = run;
        this.journal = journal;
        this.progress = progress;
        this.admission = admission;
        this.saver = saver;
        this.outages = outages;
        this.delivery = delivery;
    }

    void arrived(Event event, Offset offset, Runnable done) {
        InFlight<String> arrived = new InFlight<>(setup.adapted(event));
        progress.arrived(arrived);
        incoming.add(arrived);
        taken = done;
        admit();
        takeMore();
    }

    private void takeMore() {
        if (taken != null && incoming.size() < ADMITTED_AT_ONCE) {
            Runnable done = taken;
            taken = null;
            done.run();
        }
    }

    private void admit() {
        if (admitting || incoming.isEmpty()) {
            return;
        }
        admitting = true;
        List<InFlight<String>> events = List.copyOf(incoming);
        incoming.clear();
        Set<Integer> slices =
                events.stream().map(event -> event.position().slice()).collect(Collectors.toSet());
        run.then(
                admission
                        .admit(events)
                        .thenCompose(admitted -> saver.takeBack(slices).thenApply(stored -> admitted)),
                admitted -> letIn(admitted.iterator()));
    }

    private void letIn(Iterator<Admitted<String>> events) {
        if (!events.hasNext()) {
            admitting = false;
            admit();
            takeMore();
            return;
        }
        Admitted<String> next = events.next();
        if (next.missing().isEmpty()) {
            begin(List.of(next.event()).iterator(), events);
            return;
        }
        Admitted.Missing missing = next.missing().get();
        setup.world().met(Rare.GAP_FILLED_BY_A_PROJECTION);
        run.then(
                outages.run(
                        () -> JournalTimes.all(journal.events(missing.persistenceId(), missing.from(), missing.to()))),
                found -> {
                    List<InFlight<String>> all = new ArrayList<>();
                    found.forEach(event ->
                            admission.filling(setup.adapted(event), next).ifPresent(all::add));
                    all.add(next.event());
                    begin(all.iterator(), events);
                });
    }

    private void begin(Iterator<InFlight<String>> some, Iterator<Admitted<String>> others) {
        while (some.hasNext()) {
            if (!delivery.hasRoom()) {
                letIn = () -> begin(some, others);
                return;
            }
            InFlight<String> event = some.next();
            progress.begin(event);
            if (event.envelopes().isEmpty()) {
                progress.drop(event);
            } else {
                delivery.process(event);
            }
        }
        letIn(others);
    }

    /** There may be room for more events. */
    void hasRoom() {
        if (letIn != null && delivery.hasRoom()) {
            Runnable next = letIn;
            letIn = null;
            next.run();
        }
    }
}
