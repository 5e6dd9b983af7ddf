package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.HandlerConditionException;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.TransactionRefusedException;
import io.varve.projection.internal.retry.HandlerRecovery;
import io.varve.store.internal.async.Causes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.projection.ProjectionId;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Stores what handlers return for single events, for all that wait in one transaction.
 *
 * <p>There is no timer: as long as fewer transactions are under way than allowed, an event is stored at once, with what waits
 * already. Events whose changes are about the same item are never under way together, and stay in their order. A group that fails
 * is divided, so that each event is stored, or fails, as it would by itself. Events of one entity must not be given together.
 */
public final class GroupCommit<E> {
    private static final int MAX_ACTIONS = 100;

    private final int transactionsAtOnce;
    private final Store<E> store;
    private final GroupTransactions<E> transactions;
    private final GroupSize size;
    private final ItemKeys keys = new ItemKeys();
    private final Drain drain = new Drain(this::commit);
    private final Deque<Waiting<E>> waiting = new ArrayDeque<>();
    private final Set<ItemKeys.ItemKey> busy = new HashSet<>();
    private int underWay;
    private @Nullable Throwable end;

    /**
     * @param mostEvents in one transaction
     * @param transactionsAtOnce how many may be under way
     */
    public GroupCommit(ProjectionId projection, int mostEvents, int transactionsAtOnce, Store<E> store) {
        this.transactions = new GroupTransactions<>(projection);
        this.size = new GroupSize(mostEvents);
        this.transactionsAtOnce = transactionsAtOnce;
        this.store = store;
    }

    /** Stores events and changes in one transaction, as {@link Delivery#store}. */
    public interface Store<E> {
        CompletionStage<List<InFlight<E>>> store(List<InFlight<E>> events, Collection<TransactWriteItem> changes);
    }

    /** An event that is to be stored. */
    private record Waiting<E>(
            InFlight<E> event,
            List<TransactWriteItem> changes,
            Set<ItemKeys.ItemKey> items,
            CompletableFuture<Done> result) {
        int actions() {
            return changes.size() + 1;
        }
    }

    /** Stores an event with its changes, at some time; fails if it cannot be stored by itself, or the stream ends. */
    public CompletionStage<Done> store(InFlight<E> event, Collection<TransactWriteItem> changes) {
        Waiting<E> one = new Waiting<>(event, new ArrayList<>(changes), keys.of(changes), new CompletableFuture<>());
        synchronized (this) {
            if (end != null) {
                return CompletableFuture.failedFuture(end);
            }
            waiting.add(one);
        }
        drain.run();
        return one.result();
    }

    private void commit() {
        for (List<Waiting<E>> next = take(); !next.isEmpty(); next = take()) {
            Group group = new Group(next);
            CompletableFuture.completedFuture(group.events())
                    .thenCompose(events -> transactions.storeAll(events, group))
                    .whenComplete((done, thrown) -> over(group, thrown));
        }
    }

    /** What goes into the next transaction; nothing if none may begin. An event does not pass another one with the same item. */
    private synchronized List<Waiting<E>> take() {
        List<Waiting<E>> group = new ArrayList<>();
        if (underWay == transactionsAtOnce) {
            return group;
        }
        int most = size.now();
        int actions = 0;
        Set<ItemKeys.ItemKey> claimed = new HashSet<>(busy);
        for (Iterator<Waiting<E>> rest = waiting.iterator(); rest.hasNext() && group.size() < most; ) {
            Waiting<E> next = rest.next();
            boolean isFree = Collections.disjoint(next.items(), claimed);
            claimed.addAll(next.items());
            if (isFree && (group.isEmpty() || actions + next.actions() <= MAX_ACTIONS)) {
                group.add(next);
                actions += next.actions();
                rest.remove();
            }
        }
        if (!group.isEmpty()) {
            underWay++;
            group.forEach(one -> busy.addAll(one.items()));
        }
        return group;
    }

    /** Those that wait may take the place of a group; none does if the stream ends. */
    private void over(Group group, @Nullable Throwable thrown) {
        List<Waiting<E>> left = new ArrayList<>();
        synchronized (this) {
            underWay--;
            group.byEvent.values().forEach(one -> busy.removeAll(one.items()));
            if (thrown != null) {
                end = Causes.unwrap(thrown);
                left.addAll(group.byEvent.values());
                left.addAll(waiting);
                waiting.clear();
            }
        }
        if (thrown != null) {
            left.forEach(one -> one.result().completeExceptionally(Causes.unwrap(thrown)));
        }
        drain.run();
    }

    /** Events that are under way together, or the parts of them after they have failed. */
    private final class Group implements GroupTransactions.Storing<E> {
        private final Map<InFlight<E>, Waiting<E>> byEvent = new LinkedHashMap<>();
        private final List<InFlight<E>> events;

        Group(List<Waiting<E>> group) {
            group.forEach(one -> byEvent.put(one.event(), one));
            events = group.stream().map(Waiting::event).toList();
        }

        List<InFlight<E>> events() {
            return events;
        }

        private Waiting<E> of(InFlight<E> event) {
            Waiting<E> one = byEvent.get(event);
            if (one == null) {
                throw new IllegalStateException(event.position() + " is not in this group.");
            }
            return one;
        }

        @Override
        public CompletionStage<List<InFlight<E>>> store(List<InFlight<E>> part) {
            List<TransactWriteItem> changes = new ArrayList<>();
            part.forEach(event -> changes.addAll(of(event).changes()));
            return store.store(part, changes).thenApply(stored -> {
                size.stored(part.size());
                stored.forEach(event -> of(event).result().complete(Done.getInstance()));
                return stored;
            });
        }

        @Override
        public List<List<InFlight<E>>> divided(List<InFlight<E>> part, Throwable cause) {
            if (part.size() == 1 || HandlerRecovery.endsTheStream(cause)) {
                return List.of();
            }
            if (cause instanceof TransactionRefusedException) {
                size.refused(part.size());
            }
            return cause instanceof HandlerConditionException failed
                    ? withoutThoseAtFault(part, failed)
                    : GroupTransactions.halves(part);
        }

        /** Each event whose condition did not hold by itself, and before them all others. */
        private List<List<InFlight<E>>> withoutThoseAtFault(List<InFlight<E>> part, HandlerConditionException failed) {
            List<InFlight<E>> others = new ArrayList<>();
            List<List<InFlight<E>>> parts = new ArrayList<>();
            int first = 0;
            for (InFlight<E> event : part) {
                int next = first + of(event).changes().size();
                if (failed.isAmong(first, next)) {
                    parts.add(List.of(event));
                } else {
                    others.add(event);
                }
                first = next;
            }
            if (!others.isEmpty()) {
                parts.add(0, others);
            }
            return parts;
        }

        @Override
        public CompletionStage<Done> failed(List<InFlight<E>> part, Throwable cause) {
            if (HandlerRecovery.endsTheStream(cause)) {
                return CompletableFuture.failedFuture(cause);
            }
            part.forEach(event -> of(event).result().completeExceptionally(cause));
            return CompletableFuture.completedFuture(Done.getInstance());
        }
    }
}
