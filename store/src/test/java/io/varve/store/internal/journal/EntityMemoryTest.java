package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.layout.LastWritten;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EntityMemoryTest {
    private final EntityMemory entities = new EntityMemory(() -> Instant.EPOCH, () -> 0);

    @Test
    void recoveryThatIsAnsweredAfterALaterWrite_doesNotTurnTheHeadBack() {
        entities.stored("cart|1", "writer", new LastWritten(7, 70), 0);
        assertThat(entities.read("cart|1", new LastWritten(5, 50), 0)).isEqualTo(new LastWritten(7, 70));
        assertThat(entities.head("cart|1")).contains(new LastWritten(7, 70));
    }

    @Test
    void recoveryThatSeesMore_movesTheHead() {
        entities.stored("cart|1", "writer", new LastWritten(7, 70), 0);
        assertThat(entities.read("cart|1", new LastWritten(9, 90), 0)).isEqualTo(new LastWritten(9, 90));
        assertThat(entities.head("cart|1")).contains(new LastWritten(9, 90));
    }

    @Test
    void afterAFailedWrite_theHeadIsReadAgain_andNotBelowWhatWasKnown() {
        entities.stored("cart|1", "writer", new LastWritten(7, 70), 0);
        entities.doubt("cart|1");
        assertThat(entities.head("cart|1")).isEmpty();
        assertThat(entities.read("cart|1", new LastWritten(5, 90), 0)).isEqualTo(new LastWritten(7, 90));
    }

    @Test
    void onlyARecovery_letsAnotherWriterGoOn() {
        entities.stored("cart|1", "writer", new LastWritten(7, 70), 0);
        entities.read("cart|1", new LastWritten(7, 70), 0);
        assertThat(entities.isOfAnother("cart|1", "other")).isTrue();
        entities.recovered("cart|1", new LastWritten(5, 50), 0);
        assertThat(entities.isOfAnother("cart|1", "other")).isFalse();
        assertThat(entities.head("cart|1")).contains(new LastWritten(7, 70));
    }
}
