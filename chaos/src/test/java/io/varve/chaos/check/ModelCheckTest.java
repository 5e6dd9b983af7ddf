package io.varve.chaos.check;

import static io.varve.chaos.check.DoctoredBank.DELETING;
import static io.varve.chaos.check.DoctoredBank.KEEPING;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check finds what projections have left out, processed twice or out of order. */
class ModelCheckTest {
    private final DoctoredBank bank = new DoctoredBank();

    @ParameterizedTest
    @ValueSource(strings = {"exactly-once", "grouped"})
    void eventProcessedTwice_isFound(String projection) {
        bank.processed(KEEPING, projection, 1, 2, 3, 3, 4, 5, 6, 7);
        assertThat(bank.violations()).containsExactly(KEEPING + ": " + projection + " has processed 3 after 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exactly-once", "grouped"})
    void eventLeftOut_isFound(String projection) {
        bank.processed(KEEPING, projection, 1, 2, 4, 5, 6, 7);
        assertThat(bank.violations()).containsExactly(KEEPING + ": " + projection + " has processed 4 after 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exactly-once", "grouped"})
    void lastEventNotProcessed_isFound(String projection) {
        bank.processed(KEEPING, projection, 1, 2, 3, 4, 5, 6);
        assertThat(bank.violations()).containsExactly(KEEPING + ": " + projection + " has processed up to 6 of 7");
    }

    @Test
    void sumThatIsOffByOne_isFound() {
        List<Long> numbers = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L);
        DoctoredBank.of(bank.models, KEEPING).put("exactly-once", new ReadModel(numbers, 1030));
        assertThat(bank.violations())
                .containsExactly(KEEPING + ": exactly-once has the sum 1030, the events that it has processed 1031");
    }

    @Test
    void everythingAgain_isRightAfterARewindOnly() {
        bank.processed(KEEPING, "exactly-once", 1, 2, 3, 1, 2, 3, 4, 5, 6, 7);
        assertThat(bank.violations()).containsExactly(KEEPING + ": exactly-once has processed 1 after 3");
        bank.rewinds.put("exactly-once", 1);
        assertThat(bank.violations()).isEmpty();
        bank.processed(KEEPING, "exactly-once", 1, 2, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7);
        assertThat(bank.violations()).containsExactly(KEEPING + ": exactly-once has processed 1 after 3");
    }

    @Test
    void rewind_beginsWithWhatIsLeft() {
        bank.rewinds.put("grouped", 1);
        bank.processed(DELETING, "grouped", 1, 2, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7);
        assertThat(bank.violations()).isEmpty();
        bank.processed(DELETING, "grouped", 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7);
        assertThat(bank.violations()).containsExactly(DELETING + ": grouped has processed 4 after 7");
    }

    @Test
    void atLeastOnce_mayRepeat() {
        bank.processed(KEEPING, "at-least-once", 1, 2, 3, 2, 3, 4, 5, 6, 7, 6, 7);
        assertThat(bank.violations()).isEmpty();
    }

    @Test
    void atLeastOnceWithAGap_isFound() {
        bank.processed(KEEPING, "at-least-once", 1, 2, 4, 5, 6, 7);
        assertThat(bank.violations())
                .containsExactly(KEEPING + ": at-least-once has processed 4 where it should have processed 3");
    }

    @Test
    void atLeastOnceOutOfOrder_isFound() {
        bank.processed(KEEPING, "at-least-once", 1, 2, 4, 3, 5, 6, 7);
        assertThat(bank.violations())
                .containsExactly(KEEPING + ": at-least-once has processed 4 where it should have processed 3");
    }

    @Test
    void taggedEventLeftOut_isFound() {
        bank.processed(DELETING, "tagged", 3, 5, 7);
        assertThat(bank.violations())
                .containsExactly(DELETING + ": tagged has processed 7 where it should have processed 6");
    }

    @Test
    void taggedEventAtTheEndLeftOut_isFound() {
        bank.processed(DELETING, "tagged", 3, 5, 6);
        assertThat(bank.violations())
                .containsExactly(DELETING + ": tagged has processed nothing where it should have processed 7");
    }
}
