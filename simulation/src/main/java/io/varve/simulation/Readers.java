package io.varve.simulation;

import io.varve.store.internal.layout.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The instances of a reader: those that should run, and old ones that do not know yet that they were replaced. */
final class Readers<T> {
    private static final Duration RUNS_ON = Duration.ofSeconds(8);
    private static final Duration MESSAGE = Duration.ofMillis(30);

    private final World world;
    private final Predicate<T> isOpen;
    private final Consumer<T> end;
    private final List<T> current = new ArrayList<>();
    private final List<T> old = new ArrayList<>();

    /** @param end ends an instance */
    Readers(World world, Predicate<T> isOpen, Consumer<T> end) {
        this.world = world;
        this.isOpen = isOpen;
        this.end = end;
    }

    /** Ends those that run, at once or, if that may be, some time later. */
    void replace(boolean mayRunOn, Rare ranOn) {
        List<T> replaced = List.copyOf(current);
        current.clear();
        for (T instance : replaced) {
            if (mayRunOn && isOpen.test(instance) && world.happens(Feature.OLD_INSTANCES_RUN_ON)) {
                world.met(ranOn);
                old.add(instance);
                world.after(world.about(RUNS_ON), () -> {
                    old.remove(instance);
                    end.accept(instance);
                });
            } else {
                end.accept(instance);
            }
        }
    }

    void add(T instance) {
        current.add(instance);
    }

    /** Those that run, old ones, too. */
    Stream<T> open() {
        return Stream.concat(old.stream(), current.stream()).filter(isOpen);
    }

    boolean hasEnded() {
        return current.stream().anyMatch(instance -> !isOpen.test(instance));
    }

    /** Sends events to all of them; some of the messages are lost. */
    void publish(List<Event> events, BiConsumer<T, List<Event>> message) {
        for (T instance : current) {
            if (world.happens(Feature.PUBLISHED)) {
                world.after(world.about(MESSAGE), () -> message.accept(instance, events));
            }
        }
    }
}
