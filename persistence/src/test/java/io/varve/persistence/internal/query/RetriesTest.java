package io.varve.persistence.internal.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetriesTest {
    @Test
    void lastFailure_isNamedWithItsTable_whenTheQueryFails() {
        StoreException throttled = new StoreException(
                "GetItem on table 'events' failed after 3 attempts", FailureKind.THROTTLED, false, false, null);
        Retries retries = new Retries("which slices to query", 2, Duration.ofMillis(1));
        assertThat(retries.pauseAfter(throttled)).isPositive();
        assertThatThrownBy(() -> retries.pauseAfter(throttled))
                .isInstanceOf(VarveException.class)
                .hasCause(throttled)
                .hasMessage(
                        "Reading which slices to query failed 2 times in a row (max-failures). The last time: GetItem on"
                                + " table 'events' failed after 3 attempts");
    }
}
