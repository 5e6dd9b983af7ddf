package io.varve.projection.internal.view;

import io.varve.projection.ItemChange;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.view.KnownItems.Known;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.ItemWrite;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.apache.pekko.Done;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Changes of items that build on what is there, one for each event.
 *
 * @param shared whether the item has attributes of others
 */
record ChangeModel<E>(Processing<E> handler, boolean shared) implements ItemModel<E, Done> {
    private static final String RESERVED = "varve";

    /** Makes a change of an envelope. */
    interface Processing<E> {
        CompletionStage<ItemChange> process(E envelope, String what);
    }

    @Override
    public Done empty() {
        return Done.getInstance();
    }

    @Override
    public Done decode(Map<String, AttributeValue> attributes) {
        return Done.getInstance();
    }

    @Override
    public boolean folds() {
        return false;
    }

    @Override
    public CompletionStage<Step<Done>> apply(Known<Done> item, List<AdaptedEvent<E>> events) {
        AdaptedEvent<E> event = events.get(0);
        String what = event.position().toString();
        if (event.envelopes().size() > 1) {
            return CompletableFuture.failedFuture(
                    new VarveException(
                            "An event adapter has made "
                                    + event.envelopes().size() + " events of " + what
                                    + ", but an item has one change for each event: use a view, or an exactly-once projection with transactions."));
        }
        return handler.process(event.envelopes().get(0), what).thenApply(change -> step(change, what));
    }

    private Step<Done> step(ItemChange change, String what) {
        if (shared && !(change instanceof ItemChange.Update)) {
            throw new VarveException("The handler returned " + change.getClass().getSimpleName() + " for " + what
                    + ", which would take away what others have put into the item: the table's items are shared, so return an"
                    + " update.");
        }
        if (change instanceof ItemChange.Put put) {
            return new Step<>(1, Done.getInstance(), new ItemWrite.Replace(put.attributes()), false);
        }
        if (change instanceof ItemChange.Update update) {
            return new Step<>(1, Done.getInstance(), update(update, what), false);
        }
        return new Step<>(1, Done.getInstance(), new ItemWrite.Remove(Set.of()), true);
    }

    private static ItemWrite.Update update(ItemChange.Update update, String what) {
        Stream.concat(update.names().keySet().stream(), update.values().keySet().stream())
                .filter(name -> name.startsWith(RESERVED, 1))
                .findFirst()
                .ifPresent(name -> {
                    throw new VarveException("The update that the handler returned for " + what + " uses the name '"
                            + name + "': names that begin with '#" + RESERVED + "' or ':" + RESERVED
                            + "' are Varve's.");
                });
        return new ItemWrite.Update(
                update.set(),
                update.remove(),
                update.add(),
                update.delete(),
                update.names(),
                update.values(),
                update.condition());
    }
}
