package io.varve.simulation;

import io.varve.projection.internal.delivery.EntityLanes;
import io.varve.projection.internal.delivery.GroupCommit;
import io.varve.projection.internal.delivery.GroupTransactions;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.pekko.Abort;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.ProgressStore;
import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.projection.ProjectionId;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * What the delivery mode of a projection does with events, without its stream: in which order it calls the handler and has the
 * progress stored. A handler that fails ends the instance.
 */
final class ProjectionDelivery {
    private static final int PARALLELISM = 3;
    private static final int EVENTS_OF_A_COMMIT = 4;
    private static final int COMMITS_AT_ONCE = 2;
    private static final int EVENTS_FOR_COMMITS = EVENTS_OF_A_COMMIT * (COMMITS_AT_ONCE + 1);
    private static final Duration HANDLING = Duration.ofMillis(5);

    private final ProjectionSetup setup;
    private final ProjectionRun run;
    private final String instance;
    private final ProgressStore<String> store;
    private final EntityLanes lanes = new EntityLanes();
    private final GroupTransactions<String> transactions;
    private final GroupCommit<String> commits;
    private final EventGroups groups;
    private final List<CompletableFuture<?>> attempts = new ArrayList<>();
    /** The newest timestamp of each slice. */
    private final Map<Integer, Long> handedOfSlice = new HashMap<>();

    private int underWay;

    ProjectionDelivery(ProjectionSetup setup, ProjectionRun run, ProjectionId id, ProgressStore<String> store) {
        this.setup = setup;
        this.run = run;
        this.instance = id.key();
        this.store = store;
        this.transactions = new GroupTransactions<>(id);
        this.commits = new GroupCommit<>(id, EVENTS_OF_A_COMMIT, COMMITS_AT_ONCE, this::commit);
        this.groups = new EventGroups(run, group -> switch (setup.kind()) {
            case EXACTLY_ONCE_IN_GROUPS -> attempt(() -> transactions.storeAll(group, this::storeEffects));
            case AT_LEAST_ONCE_IN_GROUPS -> store.save(group, () -> attempt(() -> handle(group)));
            default -> store.save(group, () -> CompletableFuture.completedFuture(Done.getInstance()));
        });
    }

    /** Whether it takes one more event. */
    boolean hasRoom() {
        return switch (setup.kind()) {
            case EXACTLY_ONCE -> underWay < PARALLELISM;
            case EXACTLY_ONCE_BY_GROUP_COMMIT -> underWay < EVENTS_FOR_COMMITS;
            case AT_LEAST_ONCE -> underWay == 0 && groups.hasRoom();
            case EXACTLY_ONCE_IN_GROUPS, AT_LEAST_ONCE_IN_GROUPS -> groups.hasRoom();
        };
    }

    void process(InFlight<String> event) {
        List<InFlight<String>> one = List.of(event);
        switch (setup.kind()) {
            case EXACTLY_ONCE -> inLane(event, () -> storeEffects(one).thenApply(stored -> Done.getInstance()));
            case EXACTLY_ONCE_BY_GROUP_COMMIT -> inLane(event, () -> commitEffect(event));
            case AT_LEAST_ONCE -> {
                underWay++;
                run.then(attempt(() -> handle(one)), done -> {
                    groups.add(event);
                    over();
                });
            }
            case EXACTLY_ONCE_IN_GROUPS, AT_LEAST_ONCE_IN_GROUPS -> groups.add(event);
        }
    }

    private void inLane(InFlight<String> event, Supplier<CompletionStage<Done>> action) {
        underWay++;
        run.then(lanes.run(event.position().persistenceId(), () -> attempt(action)), done -> over());
    }

    private void over() {
        underWay--;
        run.hasRoom();
    }

    /** As {@code HandlerRecovery} does it with the strategy to fail. */
    private CompletionStage<Done> attempt(Supplier<CompletionStage<Done>> action) {
        if (!run.isOpen()) {
            return CompletableFuture.failedFuture(Abort.exception());
        }
        CompletableFuture<Done> attempt = action.get().toCompletableFuture();
        attempts.removeIf(CompletableFuture::isDone);
        attempts.add(attempt);
        return attempt;
    }

    /** The handler has an event. */
    private void handed(Position position) {
        setup.truth()
                .handed(
                        position.persistenceId(),
                        position.sequenceNumber(),
                        setup.world().now());
        long newest = handedOfSlice.merge(position.slice(), position.timestamp(), Math::max);
        if (position.timestamp()
                < newest - Microseconds.of(setup.shape().queries().backtrackingWindow())) {
            run.note(() -> "has a late event: " + position);
            setup.lateEvent().accept(run.process());
        }
    }

    private boolean fails(List<InFlight<String>> events) {
        events.forEach(event -> handed(event.position()));
        if (!setup.handlerFails().getAsBoolean()) {
            return false;
        }
        run.note(() -> "has a handler that fails for " + InFlight.describe(events));
        setup.world().met(Rare.HANDLER_FAILED);
        return true;
    }

    private CompletionStage<List<InFlight<String>>> storeEffects(List<InFlight<String>> events) {
        if (fails(events)) {
            return CompletableFuture.failedFuture(new IllegalStateException("The handler fails."));
        }
        return store(
                events,
                events.stream()
                        .map(event -> Effects.put(instance, event.position()))
                        .toList());
    }

    /** What the handler returns waits to be stored with that of others. */
    private CompletionStage<Done> commitEffect(InFlight<String> event) {
        return fails(List.of(event))
                ? CompletableFuture.failedFuture(new IllegalStateException("The handler fails."))
                : commits.store(event, List.of(Effects.put(instance, event.position())));
    }

    private CompletionStage<List<InFlight<String>>> commit(
            List<InFlight<String>> events, Collection<TransactWriteItem> changes) {
        if (events.size() > 1) {
            setup.world().met(Rare.EVENTS_COMMITTED_TOGETHER);
        }
        return store(events, changes);
    }

    private CompletionStage<List<InFlight<String>>> store(
            List<InFlight<String>> events, Collection<TransactWriteItem> changes) {
        return store.store(events, changes, event -> run.note(() -> "has stored " + event.position()))
                .thenApply(stored -> {
                    if (stored.size() < events.size()) {
                        setup.world().met(Rare.GROUP_PARTLY_PROCESSED_ELSEWHERE);
                    }
                    return stored;
                });
    }

    private CompletionStage<Done> handle(List<InFlight<String>> events) {
        boolean fails = fails(events);
        CompletableFuture<Done> handled = new CompletableFuture<>();
        run.later(setup.world().about(HANDLING), () -> {
            if (fails) {
                handled.completeExceptionally(new IllegalStateException("The handler fails."));
                return;
            }
            for (InFlight<String> event : events) {
                run.note(() -> "has handled " + event.position());
                setup.truth()
                        .handled(
                                instance,
                                event.position().persistenceId(),
                                event.position().sequenceNumber(),
                                Visibility.sinceTheBeginning(event.position().timestamp()),
                                setup.world().now());
            }
            handled.complete(Done.getInstance());
        });
        return handled;
    }

    /** At a stop: what was handled is stored. */
    void finish() {
        if (setup.kind() == DeliveryKind.AT_LEAST_ONCE) {
            groups.close();
        }
    }

    /** Completes when no handler runs any more, and nothing is stored for one. */
    CompletionStage<?> settled() {
        return CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new))
                .handle((done, thrown) -> null);
    }
}
