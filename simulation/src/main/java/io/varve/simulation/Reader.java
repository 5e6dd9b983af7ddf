package io.varve.simulation;

import io.varve.store.internal.layout.Event;
import java.util.List;

/** Something that reads what all entities write, from an offset on: a consumer of a query, or a projection. */
interface Reader {
    /** Starts again from what is stored; some of the old instances go on for a while. */
    void restart();

    /** Starts again if it has ended. */
    void revive();

    /** Somebody intervenes by hand, if that is possible. */
    default void setOffset() {}

    /** From now on it is quick, and does not fail. */
    void hurry();

    /** Events that were stored. */
    void published(List<Event> events);

    /** Everything is over, and all events have had time to come. */
    void check();
}
