package io.varve.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.layout.Head;
import io.varve.store.replay.Tail;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EntitiesTest {
    private final Entities entities = new Entities(() -> Instant.EPOCH);

    private static Tail tail(long sequenceNumber, long timestamp) {
        return new Tail(new Head(sequenceNumber, timestamp), 0, Map.of(), 0, Instant.EPOCH);
    }

    @Test
    void recoveryThatIsAnsweredAfterALaterWrite_doesNotTurnTheHeadBack() {
        entities.stored("cart|1", new Head(7, 70));
        entities.recovering("cart|1", tail(5, 50));
        assertThat(entities.head("cart|1")).contains(new Head(7, 70));
    }

    @Test
    void recoveryThatSeesMore_movesTheHead() {
        entities.stored("cart|1", new Head(7, 70));
        entities.recovering("cart|1", tail(9, 90));
        assertThat(entities.head("cart|1")).contains(new Head(9, 90));
    }
}
