package io.varve.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** When events have appeared in the slice index, and how late that was by the right time. */
final class Visibility {
    private static final long BEGINNING = Node.BEGINNING.getEpochSecond() * 1_000_000;

    /** An event that is visible: its timestamp and when it appeared, both in microseconds since the beginning. */
    private record Seen(long timestamp, long appeared) {
        long late() {
            return appeared - timestamp;
        }
    }

    private record Id(String entity, long number) {}

    private final Map<Id, Seen> seen = new HashMap<>();

    /** A timestamp of an event, in microseconds since the beginning. */
    static long sinceTheBeginning(long timestamp) {
        return timestamp - BEGINNING;
    }

    /** An item has appeared. */
    void appeared(Map<String, AttributeValue> item, long now) {
        AttributeValue entity = item.get("persistence_id");
        AttributeValue number = item.get("seq");
        AttributeValue timestamp = item.get("ts");
        if (entity != null && number != null && timestamp != null) {
            seen.merge(
                    new Id(entity.s(), Long.parseLong(number.n())),
                    new Seen(Long.parseLong(timestamp.n()) - BEGINNING, now / 1_000),
                    (one, other) -> one.late() > other.late() ? one : other);
        }
    }

    /** Whether an event has appeared later than that after its timestamp, or not at all. */
    boolean isLaterThan(String entity, long number, Duration late) {
        @Nullable Seen event = seen.get(new Id(entity, number));
        return event == null || event.late() > late.toNanos() / 1_000;
    }

    /** The timestamp of an event, in microseconds since the beginning; if it is not known, the last there is. */
    long timestamp(String entity, long number) {
        @Nullable Seen event = seen.get(new Id(entity, number));
        return event == null ? Long.MAX_VALUE : event.timestamp;
    }
}
