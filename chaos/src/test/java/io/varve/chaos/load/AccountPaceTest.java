package io.varve.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.chaos.check.ReadModel;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The load stays within what is promised. */
class AccountPaceTest {

    private final AccountPace pace =
            new AccountPace(1, 1, new AccountPace.Limits(Duration.ZERO, 5, Duration.ofSeconds(1)));
    private final String deleting = pace.accounts().get(0);
    private final String keeping = pace.accounts().get(1);

    @Test
    void accountThatProjectionsLagBehind_isLeftAloneUntilTheyHaveCaughtUp() {
        write(deleting, 1, 10);
        pace.progress(models(4, 4));
        assertThat(pace.begin(deleting, "x", 1)).isFalse();
        assertThat(pace.begin(keeping, "x", 1)).isTrue();
        pace.progress(models(10, 0));
        assertThat(pace.begin(deleting, "x", 1)).isTrue();
    }

    @Test
    void taggedEventsThatAreMissing_countToo() {
        assertThat(pace.begin(deleting, "x", 1)).isTrue();
        pace.acknowledged(deleting, "x", 1, 9, List.of(-1L));
        pace.progress(models(9, 0));
        assertThat(pace.begin(deleting, "x", 1)).isFalse();
        pace.progress(models(9, 9));
        assertThat(pace.begin(deleting, "x", 1)).isTrue();
    }

    @Test
    void eventsWhoseEndNobodyKnows_countUntilTheirClientDoes() {
        assertThat(pace.begin(deleting, "x", 6)).isTrue();
        pace.unknown(deleting, "x", 6);
        pace.progress(models(0, 0));
        assertThat(pace.begin(deleting, "y", 1)).isFalse();
        assertThat(pace.begin(deleting, "x", 6))
                .as("its events are counted already, and nobody else would end this")
                .isTrue();
        pace.refused(deleting, "x");
        pace.progress(models(0, 0));
        assertThat(pace.begin(deleting, "y", 1)).isTrue();
    }

    @Test
    void accountThatProjectionsLagBehind_isNotDrawn() {
        write(deleting, 1, 10);
        pace.progress(models(4, 10));
        assertThat(drawn()).containsExactly(keeping);
        pace.progress(models(10, 10));
        assertThat(drawn()).containsExactlyInAnyOrder(deleting, keeping);
    }

    @Test
    void projections_areExpectedToProcessWhatWasStoredWhenTheyWereAskedTo() {
        write(deleting, 1, 10);
        pace.progress(models(9, 0));
        assertThat(pace.missing()).isEmpty();
        pace.expectProjections();
        write(deleting, 1, 11);
        assertThat(pace.missing())
                .containsExactly(
                        deleting + ": at-least-once has processed 9 of 10",
                        deleting + ": exactly-once has processed 9 of 10",
                        deleting + ": grouped has processed 9 of 10");
        pace.progress(models(10, 0));
        assertThat(pace.missing()).isEmpty();
    }

    @Test
    void noAccountThatMayBeWritten_noneIsDrawn() {
        AccountPace one = new AccountPace(1, 0, new AccountPace.Limits(Duration.ZERO, 5, Duration.ofSeconds(1)));
        one.keepingOnly(true);
        assertThat(one.draw(new Random(1))).isEmpty();
    }

    @Test
    void accounts_areOfAllParts() {
        AccountPace many = new AccountPace(18, 6, new AccountPace.Limits(Duration.ZERO, 5, Duration.ofSeconds(1)));
        assertThat(many.accounts().stream().map(id -> Math.abs(id.hashCode() % 1024) / 256))
                .contains(0, 1, 2, 3);
        assertThat(many.accounts().stream().filter(AccountPace::deletes)).hasSize(18);
    }

    @Test
    void intervalOfAnAccount_growsWithTheEvents() {
        AccountPace slow = new AccountPace(1, 0, new AccountPace.Limits(Duration.ofHours(1), 5, Duration.ofSeconds(1)));
        assertThat(slow.begin(deleting, "x", 1)).isTrue();
        assertThat(slow.begin(deleting, "x", 1)).isFalse();
    }

    @Test
    void keepingOnly_leavesTheOthersAlone() {
        assertThat(pace.begin(deleting, "x", 1)).isTrue();
        pace.keepingOnly(true);
        assertThat(pace.deletingAreQuiet()).isFalse();
        pace.refused(deleting, "x");
        assertThat(pace.deletingAreQuiet()).isTrue();
        assertThat(drawn()).containsExactly(keeping);
        assertThat(pace.begin(deleting, "x", 1)).isFalse();
        pace.keepingOnly(false);
        assertThat(pace.begin(deleting, "x", 1)).isTrue();
    }

    @Test
    void accountsWrittenByBothSides_areCounted() {
        write(keeping, 1, 1);
        assertThat(pace.writtenByBoth(Set.of(1))).isZero();
        write(keeping, 2, 2);
        assertThat(pace.writtenByBoth(Set.of(1))).isEqualTo(1);
        assertThat(pace.writtenByBoth(Set.of(1, 2))).isZero();
        pace.forgetWriters();
        assertThat(pace.writtenByBoth(Set.of(1))).isZero();
    }

    private Set<String> drawn() {
        Random random = new Random(1);
        return IntStream.range(0, 50)
                .mapToObj(i -> pace.draw(random).orElseThrow())
                .collect(Collectors.toSet());
    }

    private void write(String account, int node, long number) {
        assertThat(pace.begin(account, "x", 1)).isTrue();
        pace.acknowledged(account, "x", node, number, List.of(1L));
    }

    private Map<String, Map<String, ReadModel>> models(long processed, long tagged) {
        Map<String, ReadModel> models = new HashMap<>();
        for (String name : List.of("exactly-once", "grouped", "at-least-once")) {
            models.put(
                    name,
                    new ReadModel(LongStream.rangeClosed(1, processed).boxed().toList(), 0));
        }
        models.put("tagged", new ReadModel(tagged == 0 ? List.of() : List.of(tagged), 0));
        return Map.of(deleting, models, keeping, models);
    }
}
