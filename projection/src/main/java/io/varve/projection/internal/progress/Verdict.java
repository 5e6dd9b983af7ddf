package io.varve.projection.internal.progress;

import io.varve.store.internal.offset.LastProcessed;

/** What to do with an event that the source has brought. */
public sealed interface Verdict {
    /** It was processed, or is on its way, or counts as processed because the offset was set behind it. */
    record Duplicate() implements Verdict {}

    /** Its entity is parked: it waits in the journal. */
    record Parked() implements Verdict {}

    /** It is the next one. */
    record Next() implements Verdict {}

    /** Others come before it, from {@code from} on. */
    record Gap(long from) implements Verdict {}

    /**
     * Others may come before it, from {@code from} on: nothing is known of the entity, or nothing after the place where somebody
     * has set the offset.
     */
    record Unknown(long from) implements Verdict {}

    /** The entity has begun anew. */
    record Reset() implements Verdict {}

    /** The entity may have begun anew: it has if {@code last} is not what the journal holds under its number. */
    record PerhapsReset(LastProcessed last) implements Verdict {}
}
