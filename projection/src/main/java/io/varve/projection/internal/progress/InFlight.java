package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import java.util.List;
import java.util.Optional;

/**
 * An event from when it comes until it is processed and that is stored, or turns out to be a duplicate. {@link StreamProgress}
 * keeps its state.
 */
public final class InFlight<E> {
    private final AdaptedEvent<E> event;
    private final long cause;
    private final boolean holdsPlace;
    private volatile Ticket ticket;
    private volatile List<Object> contexts = List.of();
    private volatile boolean beginsAnew;
    private volatile boolean processed;
    private volatile boolean complete;
    private volatile boolean begun;
    private volatile boolean setAside;
    private volatile Optional<Throwable> failure = Optional.empty();

    /** An event that the source has brought. */
    public InFlight(AdaptedEvent<E> event) {
        this(event, event.position().timestamp());
    }

    /**
     * @param cause the timestamp of the event that the source has brought: this one, or the one after the gap that it fills. If
     *     that comes again after a restart, so does this one
     */
    public InFlight(AdaptedEvent<E> event, long cause) {
        this(event, cause, true, new Ticket());
    }

    private InFlight(AdaptedEvent<E> event, long cause, boolean holdsPlace, Ticket ticket) {
        this.event = event;
        this.cause = cause;
        this.holdsPlace = holdsPlace;
        this.ticket = ticket;
    }

    /** An event that is read from the journal because its entity is in the list of parked ones: a restart finds it by that. */
    public static <E> InFlight<E> ofParked(AdaptedEvent<E> event) {
        return new InFlight<>(event, event.position().timestamp(), false, new Ticket());
    }

    /** An event that was missing before this one, and is let in with it. */
    public InFlight<E> filling(AdaptedEvent<E> missing) {
        return new InFlight<>(missing, event.position().timestamp(), holdsPlace, ticket);
    }

    void setTicket(Ticket given) {
        ticket = given;
    }

    /** Whether its entity was parked since it was let in, so that it must not be processed. */
    public boolean isVoid() {
        return ticket.isVoid();
    }

    boolean hasBegun() {
        return begun;
    }

    void setBegun() {
        begun = true;
    }

    /** Whether it was left alone, because its entity is parked. */
    public boolean isSetAside() {
        return setAside;
    }

    void setAside() {
        setAside = true;
    }

    /** Why its entity is to be parked at it. */
    public Optional<Throwable> failure() {
        return failure;
    }

    void fail(Throwable cause) {
        failure = Optional.of(cause);
        ticket.revoke();
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

    /** From which timestamp on a restart must read, as long as it is on its way. */
    long heldFrom() {
        return holdsPlace ? cause : Long.MAX_VALUE;
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
