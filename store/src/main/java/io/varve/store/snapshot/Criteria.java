package io.varve.store.snapshot;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Which snapshots are meant; all bounds are inclusive. */
public record Criteria(long minSequenceNumber, long maxSequenceNumber, Instant minTimestamp, Instant maxTimestamp) {

    /** Whether nothing can match, because a lower bound is above its upper bound. */
    boolean isEmpty() {
        return minSequenceNumber > maxSequenceNumber || minTimestamp.isAfter(maxTimestamp);
    }

    /** Whether a sequence number, which somebody may have stored as a fraction, is within the bounds. */
    boolean matchesNumber(@Nullable AttributeValue sequenceNumber) {
        if (sequenceNumber == null || sequenceNumber.n() == null) {
            return false;
        }
        BigDecimal number = new BigDecimal(sequenceNumber.n());
        return number.compareTo(BigDecimal.valueOf(minSequenceNumber)) >= 0
                && number.compareTo(BigDecimal.valueOf(maxSequenceNumber)) <= 0;
    }

    boolean matches(Instant timestamp) {
        return !timestamp.isBefore(minTimestamp) && !timestamp.isAfter(maxTimestamp);
    }
}
