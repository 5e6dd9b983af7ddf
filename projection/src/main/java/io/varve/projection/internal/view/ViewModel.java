package io.varve.projection.internal.view;

import io.varve.projection.ItemCodec;
import io.varve.projection.ViewHandler;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.view.KnownItems.Known;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.ItemWrite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A state that is a fold of events, as attributes of an item.
 *
 * @param key that of the item of an entity, by its persistence id; the codec may put it among the attributes
 * @param shared whether the item has attributes of others
 */
record ViewModel<S, E>(
        ViewHandler<S, E> handler,
        ItemCodec<S> codec,
        Function<String, Map<String, AttributeValue>> key,
        boolean shared)
        implements ItemModel<EventEnvelope<E>, S> {
    private static final Logger LOG = LoggerFactory.getLogger(ViewModel.class);
    /** DynamoDB takes update expressions of up to 4 KB. */
    private static final int MOST_ATTRIBUTES = 300;

    @Override
    public S empty() {
        return checked(handler.emptyState(), "an empty state");
    }

    @Override
    public S decode(Map<String, AttributeValue> attributes) {
        return checked(codec.decode(attributes), "a state that it has decoded");
    }

    @Override
    public Optional<S> tryToDecode(Map<String, AttributeValue> attributes) {
        try {
            return Optional.of(decode(attributes));
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("An item that is made anew cannot be decoded; attributes that it no longer has may stay.", e);
            return Optional.empty();
        }
    }

    @Override
    public boolean folds() {
        return true;
    }

    @Override
    public CompletionStage<Step<S>> apply(Known<S> item, List<AdaptedEvent<EventEnvelope<E>>> events) {
        if (item.unreadable().isPresent()) {
            return CompletableFuture.failedFuture(item.unreadable().get());
        }
        S state = item.state();
        int applied = 0;
        try {
            for (AdaptedEvent<EventEnvelope<E>> event : events) {
                state = apply(state, event);
                applied++;
            }
        } catch (Exception | LinkageError | AssertionError e) {
            if (applied == 0) {
                return CompletableFuture.failedFuture(e);
            }
        }
        try {
            return CompletableFuture.completedFuture(
                    step(applied, state, item, events.get(0).position().persistenceId()));
        } catch (RuntimeException | LinkageError | AssertionError e) {
            return applied > 1 ? apply(item, events.subList(0, 1)) : CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public Step<S> skip(Known<S> item) {
        if (item.made().isPresent()) {
            return step(1, item.state(), item, item.made().get().persistenceId());
        }
        return shared && item.isOverwritten()
                ? new Step<>(1, item.state(), new ItemWrite.Remove(attributesOf(item.overwritten(), item)), true)
                : ItemModel.super.skip(item);
    }

    private S apply(S state, AdaptedEvent<EventEnvelope<E>> event) throws Exception {
        S next = state;
        for (EventEnvelope<E> envelope : event.envelopes()) {
            next = checked(
                    handler.apply(handler.isRemoved(next) ? empty() : next, envelope), "for " + event.position());
        }
        return next;
    }

    private Step<S> step(int events, S state, Known<S> item, String persistenceId) {
        Set<String> gone = attributesOf(item.isThere() ? Optional.of(item.state()) : item.overwritten(), item);
        if (handler.isRemoved(state)) {
            return new Step<>(events, empty(), new ItemWrite.Remove(gone), true);
        }
        Map<String, AttributeValue> attributes = encoded(state, persistenceId);
        if (item.isOverwritten() && !shared) {
            return new Step<>(events, state, new ItemWrite.Replace(attributes), false);
        }
        gone.removeAll(attributes.keySet());
        return new Step<>(events, state, update(attributes, gone), false);
    }

    /** The attributes of a state that an item has. */
    private Set<String> attributesOf(Optional<S> before, Known<S> item) {
        return before.map(state -> encoded(
                                state, item.stored().orElseThrow().reflects().persistenceId())
                        .keySet())
                .map(HashSet::new)
                .orElseGet(HashSet::new);
    }

    private Map<String, AttributeValue> encoded(S state, String persistenceId) {
        Map<String, AttributeValue> attributes = new HashMap<>(codec.encode(state));
        attributes.keySet().removeAll(key.apply(persistenceId).keySet());
        if (attributes.size() > MOST_ATTRIBUTES) {
            throw new VarveException("The state of a view has " + attributes.size() + " attributes, and can have "
                    + MOST_ATTRIBUTES + ": put some of them into one, as a map.");
        }
        return attributes;
    }

    private static ItemWrite.Update update(Map<String, AttributeValue> attributes, Set<String> gone) {
        Map<String, String> names = new HashMap<>();
        Map<String, AttributeValue> values = new HashMap<>();
        List<String> set = new ArrayList<>();
        attributes.forEach((attribute, value) -> {
            String name = name(names.size());
            names.put("#" + name, attribute);
            values.put(":" + name, value);
            set.add("#" + name + "=:" + name);
        });
        List<String> remove = new ArrayList<>();
        gone.forEach(attribute -> {
            String name = "#" + name(names.size());
            names.put(name, attribute);
            remove.add(name);
        });
        return new ItemWrite.Update(
                String.join(",", set), String.join(",", remove), "", "", names, values, Optional.empty());
    }

    /** As short as can be, so that all attributes can be replaced by others in one expression. */
    private static String name(int number) {
        return Integer.toString(number, Character.MAX_RADIX);
    }

    @SuppressWarnings("ConstantValue") // the user's code is not checked for nulls
    private static <T> T checked(T value, String what) {
        if (value == null) {
            throw new VarveException("The handler or codec of a view returned null as " + what + ".");
        }
        return value;
    }
}
