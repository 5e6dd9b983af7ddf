package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.Position;
import io.varve.store.internal.offset.EntityRow;
import io.varve.store.internal.offset.LastProcessed;
import java.util.Optional;

/** The last event of an entity that was let in, and what is under way of it. */
final class EntityProgress {
    private final SliceProgress slice;
    private final String persistenceId;
    private long number;
    private long timestamp;
    /** The last event that is processed. */
    private long reached;

    private boolean inFlight;
    /** After which timestamp events were passed over, of which no row says so yet, because somebody has set the offset. */
    private Optional<Long> passedOverAfter = Optional.empty();

    private boolean appliedAgain;
    /** The timestamp of the last event that is known to be stored. */
    private long storedTo;
    /** Whether the event of {@code number} is the next one: the entity was parked at it. */
    private boolean resumes;
    /** Whether the row says, as it was read last, that the entity is parked. */
    private boolean parked;

    private Ticket ticket = new Ticket();
    private int open;
    private int holds = 1;

    EntityProgress(SliceProgress slice, EntityRow row, boolean appliedAgain) {
        this.slice = slice;
        this.persistenceId = row.last().persistenceId();
        load(row, appliedAgain);
    }

    /** What the row says. */
    final void load(EntityRow row, boolean again) {
        number = row.parkedAt()
                .map(EntityRow.ParkedAt::sequenceNumber)
                .orElse(row.last().sequenceNumber());
        timestamp = row.parkedAt()
                .map(EntityRow.ParkedAt::timestamp)
                .orElse(row.last().timestamp());
        reached = row.last().sequenceNumber();
        resumes = row.parkedAt().isPresent();
        parked = row.parkedAt().filter(at -> !at.retried()).isPresent();
        appliedAgain = again;
        storedTo = row.last().timestamp();
        inFlight = false;
        passedOverAfter = Optional.empty();
        ticket = new Ticket();
    }

    /** The row says that the entity is parked at an event. */
    void park(Position position) {
        number = position.sequenceNumber();
        timestamp = position.timestamp();
        resumes = true;
        parked = true;
        inFlight = false;
    }

    /** Whether it is: then the row decides each time, because anybody may have it retried. */
    boolean isParked() {
        return parked;
    }

    Ticket ticket() {
        return ticket;
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
        if (parked) {
            return position.sequenceNumber() >= number || younger > 0 ? new Verdict.Parked() : new Verdict.Duplicate();
        }
        if (resumes && position.sequenceNumber() == number && younger == 0) {
            return new Verdict.Next();
        }
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
        long next = resumes ? number : number + 1;
        if (position.sequenceNumber() == next) {
            return new Verdict.Next();
        }
        return number == 0 || timestamp < setTo ? new Verdict.Unknown(next) : new Verdict.Gap(next);
    }

    /** Lets an event in: those with lower numbers are duplicates from now on. */
    void admit(Position position) {
        number = position.sequenceNumber();
        timestamp = position.timestamp();
        resumes = false;
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

    /** The handler is done with an event, and was with all before it. */
    void handled(Position position) {
        reached = position.sequenceNumber();
    }

    /** The number of the last event that is processed; 0 if none is. */
    long reached() {
        return reached;
    }

    /** The row says that an event is processed, and so are all before it. */
    void stored(Position position) {
        complete(position);
        storedTo = Math.max(storedTo, position.timestamp());
        passedOverAfter = passedOverAfter.filter(after -> position.timestamp() <= after);
    }

    /** An event is over, though no row says so. */
    void complete(Position position) {
        handled(position);
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
