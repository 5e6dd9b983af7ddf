package io.varve.simulation.failsonce.pekko;

import static io.varve.simulation.failsonce.pekko.EntitySteps.delete;
import static io.varve.simulation.failsonce.pekko.EntitySteps.persist;
import static io.varve.simulation.failsonce.pekko.EntitySteps.persistAll;
import static io.varve.simulation.failsonce.pekko.EntitySteps.persistAllClassic;
import static io.varve.simulation.failsonce.pekko.EntitySteps.persistAsync;
import static io.varve.simulation.failsonce.pekko.EntitySteps.persistTagged;
import static io.varve.simulation.failsonce.pekko.EntitySteps.persistTooLarge;
import static io.varve.simulation.failsonce.pekko.EntitySteps.recover;
import static io.varve.simulation.failsonce.pekko.EntitySteps.recoverClassic;
import static io.varve.simulation.failsonce.pekko.EntitySteps.recoverFromSnapshot;
import static io.varve.simulation.failsonce.store.WithoutPekko.longAgo;

import io.varve.simulation.failsonce.Report;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.UseCase;
import io.varve.simulation.failsonce.Way;
import io.varve.simulation.failsonce.store.SnapshotSteps;
import io.varve.simulation.failsonce.store.Steps;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The table of use cases of what runs on Pekko: a line for each. */
public final class UseCases {
    private static final String A = "cart|a";
    private static final String B = "cart|b";
    private static final String C = "order|c";

    /** All that plugins can tell apart: what the gateway does about a request before it tells them is tested with the store. */
    private static final Set<Way> WAYS = Boolean.getBoolean("varve.fails-once.all-ways")
            ? EnumSet.allOf(Way.class)
            : EnumSet.of(
                    Way.DENIED,
                    Way.ANSWER_LOST,
                    Way.THROTTLED,
                    Way.OUTAGE_AFTER_IT,
                    Way.HALF_OF_THE_BATCH,
                    Way.PROCESS_GONE_BEFORE_IT,
                    Way.PROCESS_GONE_AFTER_IT);

    /** As many as it sends until it has processed all, or a few more or less: polls come in between. */
    private static final int REQUESTS_OF_A_PROJECTION = 8;

    private static final int AT_THE_SAME_TIME = 8;
    private static final Executor RUNS = Executors.newFixedThreadPool(AT_THE_SAME_TIME, run -> {
        Thread thread = new Thread(run, "run");
        thread.setDaemon(true);
        return thread;
    });

    private UseCases() {}

    static Stream<UseCase<PekkoProcess>> all() {
        return Stream.of(journal(), snapshots(), queries(), projections(), management())
                .flatMap(List::stream);
    }

    /** The first invariant that does not hold in the use cases whose name contains something; null if all do. */
    public static @Nullable String firstBroken(String name) {
        return report().firstBroken(all(), name);
    }

    /** Runs that wait for a time to be spent let others work meanwhile. */
    static Report<PekkoProcess> report() {
        return new Report<>(PekkoProcesses.KIND, WAYS, RUNS);
    }

    private static UseCase<PekkoProcess> journal(String name) {
        return UseCase.of("journal plugin", name);
    }

    private static List<UseCase<PekkoProcess>> journal() {
        return List.of(
                journal("the first event of a new journal").does(persist(A, 1)),
                journal("one event").after(persist(A, 1)).does(persist(A, 1)),
                journal("three events, one after another").after(persist(A, 1)).does(persist(A, 3)),
                journal("an event of an entity that recovers")
                        .given(longAgo(Steps.persist(A, 3)))
                        .does(persist(A, 1)),
                journal("an event with a tag").after(persist(A, 1)).does(persistTagged(A, 1)),
                journal("persistAll").after(persist(A, 1)).does(persistAll(A, 10)),
                journal("persistAll of several transactions")
                        .after(persist(A, 1))
                        .does(persistAll(A, 130)),
                journal("persistAll of a classic actor")
                        .after(recoverClassic(A))
                        .does(persistAllClassic(A, 3)),
                journal("persistAsync").after(recoverClassic(A)).does(persistAsync(A, 12)),
                journal("persistAsync of more than a transaction")
                        .after(recoverClassic(A))
                        .does(persistAsync(A, 120)),
                journal("an event that is rejected, and one after it")
                        .after(recoverClassic(A))
                        .does(persistTooLarge(A).then(persistAllClassic(A, 1))),
                journal("recovery of nothing")
                        .given(longAgo(Steps.persist(B, 1)))
                        .reads(recover(A)),
                journal("recovery").given(longAgo(Steps.persist(A, 5))).reads(recover(A)),
                journal("recovery of several groups")
                        .given(longAgo(Steps.persistAll(A, 90).then(Steps.persistAll(A, 130))))
                        .reads(recover(A)),
                journal("delete up to an event")
                        .given(longAgo(Steps.persist(A, 5)))
                        .after(recoverClassic(A))
                        .does(delete(A, 3)),
                journal("delete all, and persist")
                        .given(longAgo(Steps.persist(A, 3)))
                        .after(recoverClassic(A))
                        .does(delete(A, Long.MAX_VALUE).then(persistAllClassic(A, 1))));
    }

    private static UseCase<PekkoProcess> snapshot(String name) {
        return UseCase.<PekkoProcess>of("snapshot plugin", name)
                .given(longAgo(Steps.persist(A, 4).then(SnapshotSteps.save(A, 2, 100))))
                .after(recoverFromSnapshot(A));
    }

    private static List<UseCase<PekkoProcess>> snapshots() {
        return List.of(
                snapshot("save").does(StateSteps.save(A, 100)),
                snapshot("save in parts").does(StateSteps.save(A, SnapshotSteps.IN_PARTS)),
                snapshot("recovery from a snapshot").after(Step.nothing()).reads(recoverFromSnapshot(A)),
                snapshot("recovery from a snapshot in parts")
                        .given(longAgo(Steps.persist(A, 4).then(SnapshotSteps.save(A, 3, SnapshotSteps.IN_PARTS))))
                        .after(Step.nothing())
                        .reads(recoverFromSnapshot(A)),
                snapshot("delete one").does(StateSteps.deleteOne(A, 2)),
                snapshot("delete some").does(StateSteps.deleteUpTo(A, 4)));
    }

    private static UseCase<PekkoProcess> query(String name) {
        return UseCase.<PekkoProcess>of("read journal", name)
                .given(longAgo(
                        Steps.persistTagged(A, 4).then(Steps.persistAll(B, 3)).then(Steps.persistTagged(C, 2))));
    }

    private static List<UseCase<PekkoProcess>> queries() {
        return List.of(
                query("current events of an entity").reads(QuerySteps.events(A, false)),
                query("live events of an entity").reads(QuerySteps.events(A, true)),
                query("single events").reads(QuerySteps.lookups(A)),
                query("current events by slices")
                        .reads(QuerySteps.currentSlices("cart"))
                        .first(5),
                query("live events by slices")
                        .reads(QuerySteps.liveSlices("cart"))
                        .first(5),
                query("current events by tag").reads(QuerySteps.currentTag()).first(5),
                query("live events by tag").reads(QuerySteps.liveTag()).first(5),
                query("all ids").reads(QuerySteps.ids()).first(4),
                query("pages of ids").reads(QuerySteps.pagesOfIds()).first(4));
    }

    private static UseCase<PekkoProcess> projection(String area, String name) {
        return UseCase.<PekkoProcess>of(area, name)
                .given(longAgo(Steps.persist(Projections.ENTITIES.get(0), 4)
                        .then(Steps.persistAll(Projections.ENTITIES.get(1), 3))));
    }

    private static List<UseCase<PekkoProcess>> projections() {
        return Stream.of(Projections.values())
                .map(mode -> projection(
                                "projection",
                                mode.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                        .does(ProjectionSteps.run(mode))
                        .first(REQUESTS_OF_A_PROJECTION)
                        .so(ProjectionSteps.asProcessed(mode)))
                .toList();
    }

    private static UseCase<PekkoProcess> management(String name) {
        return projection("management", name)
                .after(ProjectionSteps.run(Projections.EXACTLY_ONCE))
                .counting(ManagementSteps::isAboutOffsets);
    }

    private static List<UseCase<PekkoProcess>> management() {
        return List.of(
                management("pause").first(2).does(ManagementSteps.pause()).so(ManagementSteps.isPaused(true)),
                management("resume")
                        .first(2)
                        .after(ProjectionSteps.run(Projections.EXACTLY_ONCE).then(ManagementSteps.pause()))
                        .does(ManagementSteps.resume())
                        .so(ManagementSteps.isPaused(false)),
                management("set the offset back")
                        .first(2)
                        .does(ManagementSteps.rewind())
                        .so(ManagementSteps.processedAgain()),
                management("clear the offset")
                        .first(2)
                        .does(ManagementSteps.clear())
                        .so(ManagementSteps.processedAgain()));
    }
}
