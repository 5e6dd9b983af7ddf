package io.varve.simulation;

import io.varve.store.internal.layout.Event;
import java.util.List;

/** What happens around an instance because of what it does. */
interface Neighbours {
    /** It has stored events. */
    void stored(List<Event> events);

    /** Another instance may recover soon, often elsewhere, and live on. */
    void company(ServiceNode process);

    /** Somebody may recover beside a delete who does not live on; whether somebody does. */
    boolean visit();

    /** Its node meets trouble. */
    void trouble(ServiceNode process);
}
