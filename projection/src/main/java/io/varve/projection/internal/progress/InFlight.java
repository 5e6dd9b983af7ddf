package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import java.util.List;

/**
 * An event from when it comes until it is processed and that is stored, or turns out to be a duplicate. {@link StreamProgress}
 * keeps its state.
 */
public final class InFlight<E> {
    private final AdaptedEvent<E> event;
    private final long cause;
    private volatile List<Object> contexts = List.of();
    private volatile boolean beginsAnew;
    private volatile boolean processed;
    private volatile boolean complete;

    /** An event that the source has brought. */
    public InFlight(AdaptedEvent<E> event) {
        this(event, event.position().timestamp());
    }

    /**
     * @param cause the timestamp of the event that the source has brought: this one, or the one after the gap that it fills. If
     *     that comes again after a restart, so does this one
     */
    public InFlight(AdaptedEvent<E> event, long cause) {
        this.event = event;
        this.cause = cause;
    }

    public Position position() {
        return event.position();
    }

    /** The event itself. */
    public AdaptedEvent<E> event() {
        return event;
    }

    /** Whether its entity begins anew with it. */
    public boolean beginsAnew() {
        return beginsAnew;
    }

    public void setBeginsAnew() {
        beginsAnew = true;
    }

    /** What an event adapter has made of the event. */
    public List<E> envelopes() {
        return event.envelopes();
    }

    /** All envelopes of several events. */
    public static <E> List<E> envelopes(List<InFlight<E>> group) {
        return group.stream().flatMap(event -> event.envelopes().stream()).toList();
    }

    /** What the telemetry wants back when the event is processed, for each envelope. */
    public List<Object> contexts() {
        return contexts;
    }

    public void setContexts(List<Object> contexts) {
        this.contexts = List.copyOf(contexts);
    }

    long cause() {
        return cause;
    }

    boolean isProcessed() {
        return processed;
    }

    void setProcessed() {
        processed = true;
    }

    /** Whether its progress is stored, or need not be. */
    public boolean isComplete() {
        return complete;
    }

    void setComplete() {
        complete = true;
    }

    /** Of which events a message is. */
    public static String describe(List<? extends InFlight<?>> group) {
        Position first = group.get(0).position();
        return group.size() == 1 ? first.toString() : group.size() + " events, the first of which is " + first;
    }
}
