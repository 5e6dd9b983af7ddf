package io.varve.projection.internal.view;

import io.varve.projection.internal.delivery.ItemDelivery;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.view.KnownItems.Known;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.offset.Fence;
import io.varve.store.internal.offset.FencedItem;
import io.varve.store.internal.offset.FencedItems;
import io.varve.store.internal.offset.ItemWrite;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.SetOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.apache.pekko.Done;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies events to the items of their entities, and stores them.
 *
 * <p>The item decides. It is written only if it still reflects what its new state was made of. Who comes second is told what the item
 * reflects now, and goes on from there; so a lost answer, a second instance and a state that was kept for too long need no other care.
 *
 * <p>An item that is made anew is replaced by a fold when that reflects an event from the offset on: until then nothing is lost of it,
 * whoever dies or sets the offset again.
 */
public final class EntityItems<E, S> {
    private static final Logger LOG = LoggerFactory.getLogger(EntityItems.class);

    private final String projection;
    private final ItemProgress<S> progress;
    private final ItemModel<E, S> model;
    private final ReadAhead<E> readAhead;

    /** Reads the events of an entity that follow those that wait, where that is worth it. */
    public interface ReadAhead<E> {
        /** @param isFirst whether the item reflects nothing yet */
        CompletionStage<List<AdaptedEvent<E>>> after(List<InFlight<E>> waiting, boolean isFirst);

        /** Reads nothing. */
        static <E> ReadAhead<E> none() {
            return (waiting, isFirst) -> CompletableFuture.completedFuture(List.of());
        }
    }

    public EntityItems(String projection, ItemProgress<S> progress, ItemModel<E, S> model, ReadAhead<E> readAhead) {
        this.projection = projection;
        this.progress = progress;
        this.model = model;
        this.readAhead = readAhead;
    }

    /** Processes events of one entity, which are in order. */
    public CompletionStage<Done> process(List<InFlight<E>> events, ItemDelivery<E> delivery) {
        return Loop.walk(
                        events,
                        open -> next(open, delivery)
                                .thenApply(done -> Optional.of(open.stream()
                                                .filter(event -> !event.isComplete())
                                                .toList())
                                        .filter(rest -> !rest.isEmpty())))
                .thenApply(done -> Done.getInstance());
    }

    /** Processes the first event, and others that can be stored with it. */
    private CompletionStage<Done> next(List<InFlight<E>> open, ItemDelivery<E> delivery) {
        InFlight<E> first = open.get(0);
        if (first.envelopes().isEmpty()) {
            return drop(first, delivery);
        }
        return delivery.attempt(
                List.of(first),
                () -> unlessReflected(open, delivery, item -> apply(open, item, delivery)),
                () -> unlessReflected(open, delivery, item -> skip(first, item, delivery)));
    }

    /** Nothing is written, unless the item is to be made anew: it must not stay as it was because nothing more comes. */
    private CompletionStage<Done> drop(InFlight<E> event, ItemDelivery<E> delivery) {
        return item(event, delivery).thenCompose(found -> {
            Known<S> item = event.beginsAnew() ? found.anew(model.empty()) : found;
            if (item.counts() || found.reflects(event.position())) {
                delivery.dropped(event);
                return CompletableFuture.completedFuture(Done.getInstance());
            }
            return write(List.of(), event.position(), model.skip(item), item, delivery);
        });
    }

    private interface Action<S> {
        CompletionStage<Done> with(Known<S> item);
    }

    private CompletionStage<Done> unlessReflected(List<InFlight<E>> open, ItemDelivery<E> delivery, Action<S> action) {
        InFlight<E> first = open.get(0);
        return item(first, delivery).thenCompose(item -> {
            List<InFlight<E>> reflected = open.stream()
                    .takeWhile(event -> item.reflects(event.position()))
                    .toList();
            if (!reflected.isEmpty()) {
                delivery.stored(reflected);
                return CompletableFuture.completedFuture(Done.getInstance());
            }
            return action.with(first.beginsAnew() ? item.anew(model.empty()) : item);
        });
    }

    private CompletionStage<Known<S>> item(InFlight<E> event, ItemDelivery<E> delivery) {
        return delivery.untilItWorks(() -> progress.item(
                event.position().persistenceId(),
                delivery.sets(),
                delivery.standing(event.position().persistenceId())));
    }

    private CompletionStage<Done> apply(List<InFlight<E>> open, Known<S> item, ItemDelivery<E> delivery) {
        List<InFlight<E>> life = Stream.concat(
                        Stream.of(open.get(0)), open.stream().skip(1).takeWhile(event -> !event.beginsAnew()))
                .toList();
        if (item.isOverwritten() && !model.folds() && !progress.items().isShared()) {
            return empty(open.get(0).position(), item, delivery);
        }
        return (model.folds()
                        ? readAhead.after(life, item.number() == 0)
                        : ReadAhead.<E>none().after(life, false))
                .thenCompose(more -> apply(life, more, item, delivery));
    }

    private CompletionStage<Done> apply(
            List<InFlight<E>> open, List<AdaptedEvent<E>> more, Known<S> item, ItemDelivery<E> delivery) {
        List<AdaptedEvent<E>> all =
                Stream.concat(open.stream().map(InFlight::event), more.stream()).toList();
        return model.apply(item, all)
                .thenCompose(step -> write(open, all.get(step.events() - 1).position(), step, item, delivery))
                .handle((done, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.completedFuture(done);
                    }
                    Throwable cause = Causes.unwrap(thrown);
                    return all.size() > 1 && cause instanceof ItemRefusedException // perhaps the first one alone is not
                            ? apply(open.subList(0, 1), List.of(), item, delivery)
                            : CompletableFuture.<Done>failedFuture(cause);
                })
                .thenCompose(done -> done);
    }

    private CompletionStage<Done> skip(InFlight<E> event, Known<S> item, ItemDelivery<E> delivery) {
        return write(List.of(event), event.position(), model.skip(item), item, delivery);
    }

    /** Empties an item that is made anew by changes which build on what is there. */
    private CompletionStage<Done> empty(Position first, Known<S> item, ItemDelivery<E> delivery) {
        return write(
                List.of(),
                new Position(first.persistenceId(), 0, 0, first.slice()),
                new ItemModel.Step<>(0, model.empty(), new ItemWrite.Remove(Set.of()), true),
                item,
                delivery);
    }

    /** @param last the last event that the item reflects then */
    private CompletionStage<Done> write(
            List<InFlight<E>> open, Position last, ItemModel.Step<S> step, Known<S> item, ItemDelivery<E> delivery) {
        SetOffset set = delivery.sets().of(last.slice());
        boolean unfinished = last.timestamp() < set.timestamp();
        if (unfinished && !item.counts() && model.folds()) {
            progress.made(last.persistenceId(), item.with(step.state(), last.asProcessed()));
            return stored(open, step, delivery);
        }
        Fence after = new Fence(last.asProcessed(), set.epoch(), step.removed(), unfinished);
        return delivery.untilItWorks(() -> progress.mayReplace(last.persistenceId(), item, delivery.sets()))
                .thenCompose(may -> may
                        ? write(open, after, step, item, delivery)
                        : CompletableFuture.completedFuture(Done.getInstance()));
    }

    private CompletionStage<Done> write(
            List<InFlight<E>> open, Fence after, ItemModel.Step<S> step, Known<S> item, ItemDelivery<E> delivery) {
        LastProcessed last = after.reflects();
        return delivery.untilItWorks(() ->
                        progress.items().write(progress.key(last.persistenceId()), step.write(), item.stored(), after))
                .exceptionally(thrown -> {
                    throw refused(Causes.unwrap(thrown), last);
                })
                .thenCompose(written -> {
                    if (written instanceof FencedItems.Written.Overtaken overtaken) {
                        return overtaken(last.persistenceId(), item, overtaken.now(), delivery);
                    }
                    if (written instanceof FencedItems.Written.Refused) {
                        throw new VarveException("The condition of the change that the handler returned for " + last
                                + " did not hold; nothing was stored.");
                    }
                    if (item.unreadable().isPresent()) {
                        progress.forget(last.persistenceId());
                        return stored(open, step, delivery);
                    }
                    progress.written(
                            after,
                            ((FencedItems.Written.Stored) written)
                                    .found()
                                    .filter(found -> !after.removed())
                                    .map(found -> model.decode(found.attributes()))
                                    .orElse(step.state()));
                    return stored(open, step, delivery);
                });
    }

    private static <E, S> CompletionStage<Done> stored(
            List<InFlight<E>> open, ItemModel.Step<S> step, ItemDelivery<E> delivery) {
        if (!open.isEmpty()) {
            delivery.stored(open.subList(0, Math.min(step.events(), open.size())));
        }
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    private RuntimeException refused(Throwable cause, LastProcessed last) {
        if (cause instanceof StoreException store && store.isInvalid()) {
            return new ItemRefusedException(
                    "The item of table '" + progress.items().table() + "' for " + last
                            + " cannot be stored, and nothing was: " + store.getMessage(),
                    store);
        }
        return cause instanceof RuntimeException same ? same : new CompletionException(cause);
    }

    /** An item that DynamoDB never takes as it is. */
    private static final class ItemRefusedException extends VarveException {
        private static final long serialVersionUID = 1L;

        ItemRefusedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Takes in what the item is now; the next attempt begins with that. */
    private CompletionStage<Done> overtaken(
            String persistenceId, Known<S> before, FencedItem found, ItemDelivery<E> delivery) {
        progress.forget(persistenceId);
        return delivery.untilItWorks(() -> progress.learned(Map.of(persistenceId, found), delivery.sets()))
                .thenApply(learned -> {
                    Known<S> now = Objects.requireNonNull(learned.get(persistenceId));
                    if (now.timestamp() <= before.timestamp()) {
                        throw progress.changed(persistenceId);
                    }
                    LOG.warn(
                            "{}: the item of '{}' was written before, by an attempt whose answer was lost or by another running"
                                    + " instance of this projection; this one goes on from there.",
                            projection,
                            persistenceId);
                    return Done.getInstance();
                });
    }
}
