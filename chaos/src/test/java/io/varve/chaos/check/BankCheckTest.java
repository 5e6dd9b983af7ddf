package io.varve.chaos.check;

import static io.varve.chaos.check.DoctoredBank.DELETING;
import static io.varve.chaos.check.DoctoredBank.KEEPING;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The check finds each kind of fault in books that are right but for it, and nothing in those that are right. */
class BankCheckTest {
    private final DoctoredBank bank = new DoctoredBank();

    @Test
    void booksThatAreRight_haveNoViolation() {
        BankCheck.Result result = bank.result();
        assertThat(result.violations()).isEmpty();
        assertThat(result.events()).isEqualTo(14);
        assertThat(result.acknowledged()).isEqualTo(10);
        assertThat(result.transfers()).isEqualTo(3);
    }

    @Test
    void lastEventLost_isFound() {
        bank.remove(KEEPING, 7);
        assertThat(bank.violations()).contains(KEEPING + ": c1-5d was acknowledged as [7] and is lost");
    }

    @Test
    void eventBehindTheSnapshotLost_isAGap() {
        bank.remove(KEEPING, 6);
        assertThat(bank.violations())
                .contains(
                        KEEPING + ": numbers 6 to 6 are missing",
                        KEEPING + ": c1-4d was acknowledged as [6] and is lost");
    }

    @Test
    void eventBeforeTheSnapshotLost_isAGap() {
        bank.remove(KEEPING, 3);
        assertThat(bank.violations()).containsExactly(KEEPING + ": numbers 3 to 3 are missing");
    }

    @Test
    void eventsUpToTheSnapshotLost_areAGap() {
        DoctoredBank.of(bank.events, DELETING).clear();
        assertThat(bank.violations()).contains(DELETING + ": numbers 3 to 4 are missing");
    }

    @Test
    void deletedEventThatTheSnapshotDoesNotHold_isFound() {
        List<String> saved = List.of("oa1/1000", "x/1", "c1-1b.1.3/-5", "c1-1b.2.3/1");
        DoctoredBank.of(bank.snapshots, DELETING).put(4L, saved);
        assertThat(bank.violations())
                .contains(
                        DELETING + ": event 2 (x/1) is of an operation that nobody has asked for",
                        DELETING + ": event 3 (c1-1b.1.3/-5) was stored on another history");
    }

    @Test
    void deletedWithoutASnapshot_isFound() {
        DoctoredBank.of(bank.snapshots, DELETING).clear();
        assertThat(bank.violations()).contains(DELETING + ": events up to 2 are deleted, but the newest snapshot is 0");
    }

    @Test
    void duplicatedEvent_isFound() {
        bank.append(KEEPING, "c1-5d/10");
        assertThat(bank.violations()).containsExactly(KEEPING + ": event 8 (c1-5d/10) is there a second time");
    }

    @Test
    void phantomEvent_isFound() {
        bank.append(KEEPING, "c9-9d/10");
        assertThat(bank.violations())
                .containsExactly(KEEPING + ": event 8 (c9-9d/10) is of an operation that nobody has asked for");
    }

    @Test
    void eventOfARefusedOperation_isFound() {
        bank.log.add("t\tINVOKE\tc1-6b\t" + KEEPING + "\t7\tnode 1");
        bank.log.add("t\tREFUSED\tc1-6b\tno");
        assertThat(bank.violations()).isEmpty();
        bank.append(KEEPING, "c1-6b/7");
        assertThat(bank.violations())
                .containsExactly(KEEPING + ": event 8 (c1-6b/7) is of an operation that was refused");
    }

    @Test
    void operationWhoseEndNobodyKnows_mayBeStoredOrNot() {
        bank.log.add("t\tINVOKE\tc1-6b\t" + KEEPING + "\t7\tnode 1");
        bank.log.add("t\tUNKNOWN\tc1-6b\tno answer");
        assertThat(bank.violations()).isEmpty();
        bank.append(KEEPING, "c1-6b/7");
        assertThat(bank.violations()).isEmpty();
        assertThat(bank.result().unknownStored()).isEqualTo(1);
    }

    @Test
    void halfOfAnAtomicWrite_isFound() {
        bank.log.add("t\tINVOKE\tc1-6b\t" + KEEPING + "\t7,8\tnode 1");
        bank.append(KEEPING, "c1-6b.0.2/7");
        assertThat(bank.violations()).singleElement().asString().contains("is not all of its operation");
    }

    @Test
    void anotherAmount_isFound() {
        bank.log.add("t\tINVOKE\tc1-6b\t" + KEEPING + "\t7\tnode 1");
        bank.append(KEEPING, "c1-6b/8");
        assertThat(bank.violations()).singleElement().asString().contains("is not all of its operation");
    }

    @Test
    void acknowledgementOfAnotherNumber_isFound() {
        bank.log.add("t\tOK\tc1-5d\t6");
        assertThat(bank.violations()).containsExactly(KEEPING + ": event 7 (c1-5d/10) was acknowledged as 6");
    }

    @Test
    void depositWithoutAWithdrawal_isFound() {
        bank.log.add("t\tINVOKE\tc1-6d\t" + KEEPING + "\t7\tnode 1");
        bank.append(KEEPING, "c1-6d/7");
        assertThat(bank.violations()).containsExactly(KEEPING + ": c1-6d was paid in, but nobody has paid c1-6w");
    }

    @Test
    void eventOnAnotherHistory_isFound() {
        List<StoredEvent> events = DoctoredBank.of(bank.events, KEEPING);
        StoredEvent last = events.remove(6);
        events.add(new StoredEvent(7, last.line(), "0123", last.timestamp()));
        assertThat(bank.violations()).containsExactly(KEEPING + ": event 7 (c1-5d/10) was stored on another history");
    }

    @Test
    void timestampThatGoesBack_isFound() {
        List<StoredEvent> events = DoctoredBank.of(bank.events, KEEPING);
        StoredEvent last = events.remove(6);
        events.add(new StoredEvent(7, last.line(), last.digestBefore(), 1));
        assertThat(bank.violations()).containsExactly(KEEPING + ": event 7 has the timestamp 1 after 1005");
    }

    @Test
    void olderSnapshotWithAnotherHistory_isFound() {
        DoctoredBank.of(bank.snapshots, KEEPING).put(2L, List.of("okeep1/1000", "x/1"));
        assertThat(bank.violations()).containsExactly(KEEPING + ": snapshot 2 has another history than the events");
    }
}
