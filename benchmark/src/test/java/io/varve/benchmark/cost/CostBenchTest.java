package io.varve.benchmark.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.cost.CostBench.Cost;
import io.varve.benchmark.side.Side;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The cost table, measured with persistent actors in JVMs of their own, beside the published predecessor. */
class CostBenchTest {
    private static final int EVENTS = 250;
    private static Map<String, Cost> costs = Map.of();

    @BeforeAll
    static void measure() throws Exception {
        costs = new CostBench(CommandOptions.parse(List.of("--events", Integer.toString(EVENTS)), CostBench.DEFAULTS))
                .measure().stream().collect(Collectors.toMap(Cost::operation, cost -> cost));
    }

    private static Spent spent(String operation, Side side) {
        return Objects.requireNonNull(cost(operation).spent().get(side), operation);
    }

    private static Cost cost(String operation) {
        return Objects.requireNonNull(costs.get(operation), operation);
    }

    @Test
    void oneEvent_costsWhatTheDocumentationSays_andNoMoreThanTheLimitWithoutTheIndex() {
        assertThat(spent("persist 1", Side.VARVE)).isEqualTo(Spent.writing(1, 2));
        assertThat(spent("persist 1", Side.NO_INDEX)).isEqualTo(Spent.writing(1, 1));
        assertThat(spent("persist 1", Side.PEER)).isEqualTo(Spent.writing(1, 1));
        assertThat(cost("persist 1").limit()).isEqualTo(Spent.writing(1, 1));
        assertThat(spent("persist 1 at the start of a group", Side.NO_INDEX)).isEqualTo(Spent.writing(1, 4));
        assertThat(spent("the first tagged event of a type", Side.VARVE).requests())
                .isEqualTo(2);
    }

    @Test
    void atomicWrites_costWhatTheDocumentationSays() {
        assertThat(spent("persistAll of 10", Side.NO_INDEX)).isEqualTo(Spent.writing(1, 20));
        assertThat(spent("persistAll of 10", Side.MARKED)).isEqualTo(Spent.writing(1, 10));
        assertThat(spent("persistAll of 150", Side.NO_INDEX)).isEqualTo(Spent.writing(2, 304));
        assertThat(spent("persistAll of 150", Side.MARKED)).isEqualTo(spent("persistAll of 150", Side.PEER));
    }

    @Test
    void recoveries_readWhatTheDocumentationSays_andLessThanThePredecessor() {
        assertThat(spent("recover a new entity", Side.VARVE)).isEqualTo(Spent.reading(2, 3));
        assertThat(ratio("recover a new entity")).isLessThanOrEqualTo(0.2);
        assertThat(spent("recover 50 events", Side.VARVE).requests()).isEqualTo(2);
        assertThat(spent("recover 50 events", Side.NO_INDEX).readUnits())
                .isEqualTo(cost("recover 50 events").limit().readUnits() + 2);
        assertThat(ratio("recover 50 events")).isLessThanOrEqualTo(0.3);
        assertThat(ratio("recover 250 events")).isLessThanOrEqualTo(0.9);
        assertThat(spent("recover, the snapshot at the head", Side.VARVE)).isEqualTo(Spent.reading(2, 3));
    }

    @Test
    void readsOfTheReadJournal_costWhatTheDocumentationSays() {
        Spent read = spent("read 250 events with a cursor", Side.VARVE);
        assertThat(spent("recover 250 events", Side.VARVE))
                .as("the low mark once more, because the tail was read after the marks")
                .isEqualTo(Spent.reading(read.requests() + 1, read.readUnits() + 1));
        assertThat(spent("read with a cursor, nothing new", Side.VARVE)).isEqualTo(Spent.reading(2, 3));
        assertThat(ratio("read with a cursor, nothing new")).isLessThanOrEqualTo(0.2);
        assertThat(spent("last sequence number of 250, read only", Side.VARVE)).isEqualTo(Spent.reading(4, 5));
        assertThat(spent("one event", Side.VARVE)).isEqualTo(Spent.reading(1, 1));
        assertThat(spent("one event of a persistAll of 10", Side.VARVE)).isEqualTo(Spent.reading(2, 2));
        assertThat(spent("one event of a persistAll of 150", Side.VARVE)).isEqualTo(Spent.reading(2, 2));
        assertThat(spent("one event of a persistAll of 150", Side.MARKED).requests())
                .as("no chain, but two groups")
                .isEqualTo(3);
        assertThat(spent("the 50 events before another", Side.NO_INDEX))
                .isEqualTo(cost("the 50 events before another").limit());
    }

    @Test
    void snapshots_costWhatTheDocumentationSays() {
        assertThat(spent("save a snapshot of 10 KB", Side.VARVE)).isEqualTo(Spent.writing(1, 11));
        assertThat(spent("save a snapshot of 10 KB", Side.PEER)).isEqualTo(Spent.writing(1, 20));
        assertThat(spent("load a snapshot of 10 KB", Side.VARVE)).isEqualTo(Spent.reading(1, 3));
        assertThat(spent("load one of 10 KB with a time bound", Side.VARVE)).isEqualTo(Spent.reading(2, 8));
        assertThat(spent("delete a snapshot of 10 KB", Side.VARVE)).isEqualTo(new Spent(2, 11, 1));
    }

    @Test
    void largeSnapshots_costWhatTheDocumentationSays() {
        assertThat(spent("save a snapshot of 400 KB", Side.VARVE)).isEqualTo(Spent.writing(1, 392));
        assertThat(spent("save a snapshot of 1 MB", Side.VARVE)).isEqualTo(new Spent(6, 983, 1));
        assertThat(spent("save one of 1 MB, another is kept", Side.VARVE)).isEqualTo(new Spent(7, 987, 1));
        assertThat(spent("load a snapshot of 1 MB", Side.VARVE)).isEqualTo(Spent.reading(2, 247));
        assertThat(spent("delete a snapshot of 1 MB", Side.VARVE)).isEqualTo(new Spent(6, 985, 1));
    }

    @Test
    void cycleOfRetention_isWhatATypedBehaviourSpends() {
        assertThat(spent("a cycle of retention", Side.NO_INDEX).requests())
                .as("five events, four more to the journal and four to the snapshots")
                .isEqualTo(13);
        assertThat(spent("a cycle of retention", Side.NO_INDEX).writeUnits()).isEqualTo(33);
    }

    private static double ratio(String operation) {
        return spent(operation, Side.VARVE).readUnits()
                / spent(operation, Side.PEER).readUnits();
    }
}
