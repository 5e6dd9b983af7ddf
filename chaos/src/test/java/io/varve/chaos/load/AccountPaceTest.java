package io.varve.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.chaos.check.ReadModel;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The load stays within what is promised. */
class AccountPaceTest {
    private static final String DELETING = "account|a1";
    private static final String KEEPING = "account|keep1";

    private final AccountPace pace =
            new AccountPace(1, 1, new AccountPace.Limits(Duration.ZERO, 5, Duration.ofSeconds(1)));

    @Test
    void accountThatProjectionsLagBehind_isLeftAloneUntilTheyHaveCaughtUp() {
        write(DELETING, 1, 10);
        pace.progress(models(4, 4));
        assertThat(pace.begin(DELETING, 1)).isFalse();
        assertThat(pace.begin(KEEPING, 1)).isTrue();
        pace.progress(models(10, 0));
        assertThat(pace.begin(DELETING, 1)).isTrue();
    }

    @Test
    void taggedEventsThatAreMissing_countToo() {
        assertThat(pace.begin(DELETING, 1)).isTrue();
        pace.acknowledged(DELETING, 1, 9, List.of(-1L));
        pace.progress(models(9, 0));
        assertThat(pace.begin(DELETING, 1)).isFalse();
        pace.progress(models(9, 9));
        assertThat(pace.begin(DELETING, 1)).isTrue();
    }

    @Test
    void eventsWhoseEndNobodyKnows_countUntilAHigherNumberIsAcknowledged() {
        assertThat(pace.begin(DELETING, 6)).isTrue();
        pace.unknown(DELETING, 6);
        pace.progress(models(0, 0));
        assertThat(pace.begin(DELETING, 1)).isFalse();
    }

    @Test
    void intervalOfAnAccount_growsWithTheEvents() {
        AccountPace slow = new AccountPace(1, 0, new AccountPace.Limits(Duration.ofHours(1), 5, Duration.ofSeconds(1)));
        assertThat(slow.begin(DELETING, 1)).isTrue();
        assertThat(slow.begin(DELETING, 1)).isFalse();
    }

    @Test
    void keepingOnly_leavesTheOthersAlone() {
        assertThat(pace.begin(DELETING, 1)).isTrue();
        pace.keepingOnly(true);
        assertThat(pace.deletingAreQuiet()).isFalse();
        pace.refused(DELETING);
        assertThat(pace.deletingAreQuiet()).isTrue();
        assertThat(pace.candidates()).containsExactly(KEEPING);
        assertThat(pace.begin(DELETING, 1)).isFalse();
        pace.keepingOnly(false);
        assertThat(pace.begin(DELETING, 1)).isTrue();
    }

    @Test
    void accountsWrittenByBothSides_areCounted() {
        write(KEEPING, 1, 1);
        assertThat(pace.writtenByBoth(Set.of(1))).isZero();
        write(KEEPING, 2, 2);
        assertThat(pace.writtenByBoth(Set.of(1))).isEqualTo(1);
        assertThat(pace.writtenByBoth(Set.of(1, 2))).isZero();
        pace.forgetWriters();
        assertThat(pace.writtenByBoth(Set.of(1))).isZero();
    }

    private void write(String account, int node, long number) {
        assertThat(pace.begin(account, 1)).isTrue();
        pace.acknowledged(account, node, number, List.of(1L));
    }

    private static Map<String, Map<String, ReadModel>> models(long processed, long tagged) {
        Map<String, ReadModel> models = new HashMap<>();
        for (String name : List.of("exactly-once", "grouped", "at-least-once")) {
            models.put(
                    name,
                    new ReadModel(LongStream.rangeClosed(1, processed).boxed().toList(), 0));
        }
        models.put("tagged", new ReadModel(tagged == 0 ? List.of() : List.of(tagged), 0));
        return Map.of(DELETING, models, KEEPING, models);
    }
}
