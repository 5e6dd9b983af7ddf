package io.varve.projection.internal.view;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.store.internal.offset.ItemWrite;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What events make of an item. */
interface ItemModel<E, S> {

    /** The state of an item that is not there. */
    S empty();

    /** The state of an item that is. */
    S decode(Map<String, AttributeValue> attributes);

    /** The state of an item that is to be made anew, if it can be read. */
    default Optional<S> tryToDecode(Map<String, AttributeValue> attributes) {
        return Optional.empty();
    }

    /** Whether several events become one write. */
    boolean folds();

    /**
     * Applies some events, one at least, in order and as many of them as it can. Fails if it cannot apply the first one.
     *
     * @param item as it is stored
     */
    CompletionStage<Step<S>> apply(KnownItems.Known<S> item, List<AdaptedEvent<E>> events);

    /** Leaves an event out. */
    default Step<S> skip(KnownItems.Known<S> item) {
        return item.isThere()
                ? new Step<>(1, item.state(), ItemWrite.Update.NOTHING, false)
                : new Step<>(1, item.state(), new ItemWrite.Remove(Set.of()), true);
    }

    /**
     * Events that were applied.
     *
     * @param events how many
     * @param removed whether nothing is left of the item but its key
     */
    record Step<S>(int events, S state, ItemWrite write, boolean removed) {}
}
