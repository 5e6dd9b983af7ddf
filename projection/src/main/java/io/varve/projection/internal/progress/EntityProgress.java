package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.Position;
import io.varve.store.internal.offset.LastProcessed;
import java.util.Optional;

/** The last event of an entity that was let in, and what is under way of it. */
final class EntityProgress {
    private final SliceProgress slice;
    private final String persistenceId;
    private long number;
    private long timestamp;
    private boolean inFlight;
    /** After which timestamp events were passed over, of which no row says so yet, because somebody has set the offset. */
    private Optional<Long> passedOverAfter = Optional.empty();

    private final boolean appliedAgain;
    /** The timestamp of the last event that is known to be stored. */
    private long storedTo;

    private int open;
    private int holds = 1;

    EntityProgress(SliceProgress slice, LastProcessed last, boolean appliedAgain) {
        this.slice = slice;
        this.persistenceId = last.persistenceId();
        this.number = last.sequenceNumber();
        this.timestamp = last.timestamp();
        this.appliedAgain = appliedAgain;
        this.storedTo = last.timestamp();
    }

    /** The timestamp of the last event that is known to be stored. */
    long storedTo() {
        return storedTo;
    }

    /** Whether its events are processed again from the first one on, also those before the offset that was set. */
    boolean isAppliedAgain() {
        return appliedAgain;
    }

    void hold() {
        holds++;
    }

    void release() {
        holds--;
    }

    /**
     * What to do with an event of this entity.
     *
     * @param setTo before which timestamp the events of its slice count as processed
     * @param acceptResetAfter how much younger than the last one it must be, in microseconds, for the entity to have begun anew
     * @param sameLife whether it is known that the entity has not begun anew
     */
    Verdict judge(Position position, long setTo, Optional<Long> acceptResetAfter, boolean sameLife) {
        if (position.timestamp() < setTo) {
            return new Verdict.Duplicate();
        }
        long younger = position.timestamp() - timestamp;
        boolean anew = number > 0 && acceptResetAfter.isPresent() && younger > acceptResetAfter.get();
        if (position.sequenceNumber() <= number) {
            return anew ? new Verdict.Reset() : new Verdict.Duplicate();
        }
        if (number > 0 && acceptResetAfter.isPresent() && younger < 0) {
            return new Verdict.Duplicate(); // of an earlier life
        }
        if (anew && !sameLife) {
            return new Verdict.PerhapsReset(new LastProcessed(persistenceId, number, timestamp));
        }
        if (position.sequenceNumber() == number + 1) {
            return new Verdict.Next();
        }
        return number == 0 || timestamp < setTo ? new Verdict.Unknown(number + 1) : new Verdict.Gap(number + 1);
    }

    /** Lets an event in: those with lower numbers are duplicates from now on. */
    void admit(Position position) {
        number = position.sequenceNumber();
        timestamp = position.timestamp();
        inFlight = true;
    }

    /** As {@link #admit}; others before it may have been passed over, because somebody has set the offset behind them. */
    void admitPassingOver(Position position) {
        passedOverAfter = Optional.of(timestamp);
        admit(position);
    }

    /** Whether that holds of what is stored next. */
    boolean passesOver() {
        return passedOverAfter.isPresent();
    }

    void begun() {
        open++;
    }

    void over() {
        open--;
    }

    /** The row says that an event is processed, and so are all before it. */
    void stored(Position position) {
        complete(position);
        storedTo = Math.max(storedTo, position.timestamp());
        passedOverAfter = passedOverAfter.filter(after -> position.timestamp() <= after);
    }

    /** An event is over, though no row says so. */
    void complete(Position position) {
        if (number == position.sequenceNumber()) {
            inFlight = false;
        }
    }

    boolean hasOpenEvents() {
        return open > 0;
    }

    boolean isInUse() {
        return inFlight || open > 0 || holds > 0;
    }

    /** Slices can be at different times while they catch up, so that an entity is old by what its own slice has seen. */
    boolean isOlderThan(long timeWindow) {
        return timestamp < slice.seen() - timeWindow;
    }
}
