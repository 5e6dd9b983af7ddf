package io.varve.simulation.failsonce.store;

import static io.varve.simulation.failsonce.store.OffsetSteps.exactlyOnce;
import static io.varve.simulation.failsonce.store.SnapshotSteps.IN_PARTS;
import static io.varve.simulation.failsonce.store.SnapshotSteps.deleteOne;
import static io.varve.simulation.failsonce.store.SnapshotSteps.deleteUpTo;
import static io.varve.simulation.failsonce.store.SnapshotSteps.load;
import static io.varve.simulation.failsonce.store.SnapshotSteps.save;
import static io.varve.simulation.failsonce.store.Steps.cutOff;
import static io.varve.simulation.failsonce.store.Steps.delete;
import static io.varve.simulation.failsonce.store.Steps.persist;
import static io.varve.simulation.failsonce.store.Steps.persistAll;
import static io.varve.simulation.failsonce.store.Steps.persistAtOnce;
import static io.varve.simulation.failsonce.store.Steps.persistTagged;
import static io.varve.simulation.failsonce.store.Steps.persistTooLarge;
import static io.varve.simulation.failsonce.store.Steps.recover;
import static io.varve.simulation.failsonce.store.Steps.recoverFromSnapshot;

import io.varve.simulation.failsonce.Report;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.UseCase;
import io.varve.simulation.failsonce.Way;
import io.varve.store.internal.entity.Source;
import io.varve.store.table.Tables;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;

/** The table of use cases of the store: a line for each. */
public final class UseCases {
    private static final String A = "cart|a";
    private static final String B = "cart|b";
    private static final String C = "order|c";

    private UseCases() {}

    static Stream<UseCase<ServiceProcess>> all() {
        return Stream.of(writes(), recoveries(), deletes(), snapshots(), queries(), offsets(), tables())
                .flatMap(List::stream);
    }

    /** The first invariant that does not hold in the use cases whose name contains something; null if all do. */
    public static @Nullable String firstBroken(String name) {
        return new Report<>(StoreProcesses.KIND, EnumSet.allOf(Way.class), Runnable::run).firstBroken(all(), name);
    }

    private static UseCase<ServiceProcess> journal(String name) {
        return UseCase.of("journal", name);
    }

    private static List<UseCase<ServiceProcess>> writes() {
        return List.of(
                journal("the first event of a new journal").does(persist(A, 1)),
                journal("one event").after(persist(A, 1)).does(persist(A, 1)),
                journal("three events, one after another").after(persist(A, 1)).does(persist(A, 3)),
                journal("an event in a fresh process")
                        .after(persist(A, 3))
                        .afresh()
                        .does(persist(A, 1)),
                journal("an event after a pause").after(persist(A, 1)).does(pause().then(persist(A, 1))),
                journal("the first event of a group").after(persistAll(A, 99)).does(persist(A, 1)),
                journal("the first event with tags").after(persist(A, 1)).does(persistTagged(A, 1)),
                journal("an atomic write").after(persist(A, 1)).does(persistAll(A, 10)),
                journal("an atomic write across a group's end")
                        .after(persistAll(A, 95))
                        .does(persistAll(A, 10)),
                journal("an atomic write of several transactions")
                        .after(persist(A, 1))
                        .does(persistAll(A, 130)),
                journal("the same in a fresh process")
                        .after(persist(A, 1))
                        .afresh()
                        .does(persistAll(A, 130)),
                journal("an event after a write that was cut off")
                        .after(persist(A, 1).then(cutOff(persistAll(A, 130), 4)))
                        .afresh()
                        .does(persist(A, 1)),
                journal("two writes at once").after(persist(A, 1)).does(persistAtOnce(A, 1, 1)),
                journal("many writes at once").after(persist(A, 1)).does(persistAtOnce(A, 1, 2, 1, 1, 3, 1)),
                journal("many large writes at once").after(persist(A, 1)).does(persistAtOnce(A, 60, 60, 110, 1, 1)),
                journal("an event that is rejected").after(persist(A, 1)).does(persistTooLarge(A, 0)),
                journal("an event after one that is rejected")
                        .after(persist(A, 1))
                        .does(persistTooLarge(A, 0).then(persist(A, 1))),
                journal("an atomic write after one that is rejected")
                        .after(persist(A, 98))
                        .does(persistTooLarge(A, 3).then(persistAll(A, 3))));
    }

    /** Longer than a writer trusts what it knows. */
    private static Step<ServiceProcess> pause() {
        return (scene, process) -> Steps.later(process, Duration.ofMinutes(1));
    }

    private static List<UseCase<ServiceProcess>> recoveries() {
        return List.of(
                journal("recovery of nothing").after(persist(B, 1)).afresh().reads(recover(A)),
                journal("recovery").after(persist(A, 5)).afresh().reads(recover(A)),
                journal("recovery of several groups")
                        .after(persistAll(A, 90).then(persistAll(A, 90)).then(persistAll(A, 90)))
                        .afresh()
                        .reads(recover(A)),
                journal("recovery of an atomic write of several transactions")
                        .after(persistAll(A, 130))
                        .afresh()
                        .reads(recover(A)),
                journal("recovery from a snapshot")
                        .after(persistAll(A, 90).then(persistAll(A, 90)).then(save(A, 150, 100)))
                        .afresh()
                        .reads(recoverFromSnapshot(A)),
                journal("recovery from a snapshot in parts")
                        .after(persist(A, 4).then(save(A, 3, IN_PARTS)))
                        .afresh()
                        .reads(recoverFromSnapshot(A)),
                journal("recovery after a write that was cut off")
                        .after(persist(A, 1).then(cutOff(persistAll(A, 130), 4)))
                        .afresh()
                        .does(recover(A)),
                journal("recovery after a delete")
                        .after(persistAll(A, 90).then(persistAll(A, 90)).then(delete(A, 130)))
                        .afresh()
                        .reads(recover(A)),
                journal("recovery after all is deleted")
                        .after(persistAll(A, 90).then(persistAll(A, 90)).then(delete(A, 180)))
                        .afresh()
                        .reads(recover(A)));
    }

    private static List<UseCase<ServiceProcess>> deletes() {
        return List.of(
                journal("delete up to an event").after(persist(A, 5)).does(delete(A, 3)),
                journal("delete all").after(persist(A, 5)).does(delete(A, Long.MAX_VALUE)),
                journal("delete all in a fresh process")
                        .after(persist(A, 5))
                        .afresh()
                        .does(delete(A, Long.MAX_VALUE)),
                journal("delete across groups")
                        .after(persistAll(A, 90).then(persistAll(A, 90)).then(persistAll(A, 90)))
                        .does(delete(A, 250)),
                journal("delete all across groups in a fresh process")
                        .after(persistAll(A, 90).then(persistAll(A, 90)))
                        .afresh()
                        .does(delete(A, Long.MAX_VALUE)),
                journal("delete further")
                        .after(persistAll(A, 90).then(delete(A, 20)))
                        .does(delete(A, 70)),
                journal("delete after a delete that was cut off")
                        .after(persistAll(A, 90).then(persistAll(A, 90)).then(cutOff(delete(A, 150), 6)))
                        .afresh()
                        .does(delete(A, 150)),
                journal("delete and persist")
                        .after(persist(A, 3))
                        .does(delete(A, 3).then(persist(A, 1))));
    }

    private static UseCase<ServiceProcess> snapshot(String name) {
        return UseCase.of("snapshots", name);
    }

    private static List<UseCase<ServiceProcess>> snapshots() {
        return List.of(
                snapshot("save").does(save(A, 1, 100)),
                snapshot("save again").after(save(A, 1, 100)).does(save(A, 1, 100)),
                snapshot("save in parts").does(save(A, 1, IN_PARTS)),
                snapshot("save in parts again").after(save(A, 1, IN_PARTS)).does(save(A, 1, IN_PARTS)),
                snapshot("save in parts after one that was cut off")
                        .after(cutOff(save(A, 1, IN_PARTS), 3))
                        .afresh()
                        .does(save(A, 1, IN_PARTS)),
                snapshot("save in one item what was in parts")
                        .after(save(A, 1, IN_PARTS))
                        .does(save(A, 1, 100)),
                snapshot("save in parts what was in one item")
                        .after(save(A, 1, 100))
                        .does(save(A, 1, IN_PARTS)),
                snapshot("load").after(save(A, 1, 100).then(save(A, 2, 100))).reads(load(A)),
                snapshot("load parts").after(save(A, 1, IN_PARTS)).reads(load(A)),
                snapshot("delete one")
                        .after(save(A, 1, 100).then(save(A, 2, 100)))
                        .does(deleteOne(A, 2)),
                snapshot("delete one in parts").after(save(A, 1, IN_PARTS)).does(deleteOne(A, 1)),
                snapshot("delete some")
                        .after(save(A, 1, 100).then(save(A, 2, IN_PARTS)).then(save(A, 3, 100)))
                        .does(deleteUpTo(A, 2)),
                snapshot("retention: save, delete events and older snapshots")
                        .after(persist(A, 4).then(save(A, 2, 100)))
                        .does(save(A, 4, IN_PARTS).then(delete(A, 4)).then(deleteUpTo(A, 3))));
    }

    private static UseCase<ServiceProcess> query(String name) {
        return UseCase.<ServiceProcess>of("queries", name)
                .after(persistTagged(A, 4).then(persistAll(B, 3)).then(persistTagged(C, 2)))
                .afresh();
    }

    private static List<UseCase<ServiceProcess>> queries() {
        return List.of(
                query("events of an entity").reads(QuerySteps.events(A)),
                query("events of an entity with several groups")
                        .after(persistAll(A, 90).then(persistAll(A, 130)))
                        .reads(QuerySteps.events(A)),
                query("single events and those before one").reads(QuerySteps.lookups(A)),
                query("events before one in another group")
                        .after(persistAll(A, 90).then(persistAll(A, 30)))
                        .reads(QuerySteps.lookups(A)),
                query("current events by slices").reads(QuerySteps.slices("cart", false, false, 3)),
                query("current events by slices, an offset for each").reads(QuerySteps.slices("cart", false, true, 3)),
                query("current events of an atomic write of several transactions")
                        .after(persistAll(A, 105))
                        .reads(QuerySteps.slices("cart", false, true, 50)),
                query("current events beside a write that was cut off")
                        .after(persist(A, 1).then(cutOff(persistAll(A, 130), 4)))
                        .does(QuerySteps.slices("cart", false, true, 50)),
                query("live events by slices").reads(QuerySteps.slices("cart", true, true, 3)),
                query("current events by tag").reads(QuerySteps.tag(false)),
                query("live events by tag").reads(QuerySteps.tag(true)),
                query("all ids, from the index").reads(QuerySteps.ids(new Source.Index())),
                query("all ids, from a scan").reads(QuerySteps.ids(new Source.Scan(2))));
    }

    private static UseCase<ServiceProcess> projection(String name) {
        return UseCase.of("projections", name);
    }

    private static List<UseCase<ServiceProcess>> offsets() {
        return List.of(
                projection("start").does(OffsetSteps.start()),
                projection("exactly once").does(exactlyOnce(3)).so(OffsetSteps.once(3)),
                projection("exactly once, restarted")
                        .after(exactlyOnce(2))
                        .afresh()
                        .does(exactlyOnce(4))
                        .so(OffsetSteps.once(4)),
                projection("a group in one transaction")
                        .does(OffsetSteps.group(8))
                        .so(OffsetSteps.wholeGroup(8)),
                projection("at least once").does(OffsetSteps.atLeastOnce(60)).so(OffsetSteps.nothingLeftOut(60)),
                projection("rows that are raised").does(OffsetSteps.raise(60)).so(OffsetSteps.nothingLeftOut(60)),
                projection("set the offset back")
                        .after(exactlyOnce(5))
                        .does(OffsetSteps.rewindTo(2))
                        .so(OffsetSteps.goesOnAfter(2, 5)),
                projection("set the offset back in a fresh process")
                        .after(exactlyOnce(5))
                        .afresh()
                        .does(OffsetSteps.rewindTo(2))
                        .so(OffsetSteps.goesOnAfter(2, 5)),
                projection("set the offset back to a time")
                        .after(exactlyOnce(5))
                        .does(OffsetSteps.rewindToTimeOf(2))
                        .so(OffsetSteps.goesOnFrom(2, 5)),
                projection("set the offset back twice")
                        .after(exactlyOnce(5).then(OffsetSteps.rewindTo(4)))
                        .does(OffsetSteps.rewindTo(1))
                        .so(OffsetSteps.goesOnAfter(1, 4)),
                projection("set the offset back after that was cut off")
                        .after(exactlyOnce(5).then(cutOff(OffsetSteps.rewindTo(2), 4)))
                        .afresh()
                        .does(OffsetSteps.rewindTo(2))
                        .so(OffsetSteps.goesOnAfter(2, 5)),
                projection("clear the offset")
                        .after(exactlyOnce(5))
                        .does(OffsetSteps.clear())
                        .so(OffsetSteps.goesOnAfter(0, 5)),
                projection("park an entity")
                        .after(exactlyOnce(3))
                        .does(ParkingSteps.park(4))
                        .so(ParkingSteps.waitsAt(4)),
                projection("retry a parked entity")
                        .after(exactlyOnce(3).then(ParkingSteps.park(4)))
                        .does(ParkingSteps.retry(4))
                        .so(ParkingSteps.goesOnAfter(3)),
                projection("skip the event of a parked entity")
                        .after(exactlyOnce(3).then(ParkingSteps.park(4)))
                        .does(ParkingSteps.skip(4))
                        .so(ParkingSteps.goesOnAfter(4)),
                projection("give up the events of a parked entity")
                        .after(exactlyOnce(3).then(ParkingSteps.park(4)))
                        .does(ParkingSteps.giveUp(4, 6))
                        .so(ParkingSteps.goesOnAfter(6)),
                projection("an entity that was parked has caught up")
                        .after(exactlyOnce(3).then(ParkingSteps.park(4)).then(ParkingSteps.skip(4)))
                        .does(ParkingSteps.remove())
                        .so(ParkingSteps.isNotListed()),
                projection("pause").does(OffsetSteps.pause(true)).so(OffsetSteps.isPaused(true)),
                projection("resume")
                        .after(OffsetSteps.pause(true))
                        .does(OffsetSteps.pause(false))
                        .so(OffsetSteps.isPaused(false)),
                projection("look at the offset")
                        .after(exactlyOnce(3).then(OffsetSteps.pause(true)))
                        .afresh()
                        .reads(OffsetSteps.look(3, true)),
                projection("ask how far it is").after(exactlyOnce(3)).afresh().reads(OffsetSteps.reach(3)),
                projection("delete all progress")
                        .after(exactlyOnce(3).then(OffsetSteps.pause(true)))
                        .does(OffsetSteps.delete())
                        .counting(request -> request instanceof BatchWriteItemRequest)
                        .first(4)
                        .so(OffsetSteps.isDeleted()));
    }

    private static UseCase<ServiceProcess> tool(String name) {
        return UseCase.of("tools", name);
    }

    private static List<UseCase<ServiceProcess>> tables() {
        return List.of(
                tool("create a table").does(TableSteps.create()).so(TableSteps.complete()),
                tool("create a table that is there")
                        .after(TableSteps.create())
                        .does(TableSteps.create())
                        .so(TableSteps.complete()),
                tool("create a table that somebody made without indexes")
                        .after(TableSteps.withoutIndexes())
                        .does(TableSteps.create()),
                tool("create a table that has another key")
                        .after(TableSteps.withAnotherKey())
                        .reads(TableSteps.createInVain()),
                tool("verify a table")
                        .after(TableSteps.create())
                        .reads(TableSteps.verify(Tables.journal(TableSteps.NEW), 0, "")),
                tool("verify a table without indexes")
                        .after(TableSteps.withoutIndexes())
                        .reads(TableSteps.verify(Tables.journal(TableSteps.NEW), 3, "is")),
                tool("verify a table that is missing")
                        .reads(TableSteps.verify(Tables.journal(TableSteps.NEW), 1, "does not exist")));
    }
}
