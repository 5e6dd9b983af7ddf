package io.varve.benchmark.speed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.ReportTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That the measurements run from end to end; their figures are not asserted. */
class SpeedBenchTest {

    @Test
    void speed_measuresEachSideInAJvmOfItsOwn() throws Exception {
        List<String> words = List.of(
                "--java",
                "-XX:TieredStopAtLevel=1",
                "--runs",
                "1",
                "--seconds",
                "1",
                "--warm-up",
                "100",
                "--entities",
                "2",
                "--latency",
                "0",
                "--sides",
                "no-index,peer,sdk",
                "--recover",
                "20",
                "--many",
                "3");

        Report report = new SpeedBench(CommandOptions.parse(words, SpeedBench.DEFAULTS)).run();

        assertThat(report.tables())
                .extracting(ReportTable::title)
                .containsExactly(
                        "Responder, answers after 0 ms",
                        "DynamoDB Local, 0 ms added to each request",
                        "Recovery, DynamoDB Local, 0 ms added to each request");
        assertThat(report.tables().get(0).rows())
                .extracting(row -> row.get(1))
                .containsExactly("Varve, index off", "predecessor", "bare SDK client");
        assertThat(report.tables().get(2).rows())
                .extracting(row -> row.get(0))
                .containsExactly(
                        "1 entity of 20 events",
                        "1 entity of 20 events",
                        "3 entities of 50 events at once",
                        "3 entities of 50 events at once");
    }

    @Test
    void speed_ofBurstsOfPersistAsync_hasTheSideThatDoesNotJoinThem() throws Exception {
        List<String> words = List.of(
                "--java",
                "-XX:TieredStopAtLevel=1",
                "--async",
                "20",
                "--backends",
                "responder",
                "--runs",
                "1",
                "--seconds",
                "1",
                "--warm-up",
                "100",
                "--entities",
                "1",
                "--latency",
                "1",
                "--sides",
                "no-index,unjoined,sdk");

        Report report = new SpeedBench(CommandOptions.parse(words, SpeedBench.DEFAULTS)).run();

        assertThat(report.tables())
                .extracting(ReportTable::title)
                .containsExactly("Responder, answers after 1 ms, bursts of 20 persistAsync");
        assertThat(report.tables().get(0).rows())
                .extracting(row -> row.get(1))
                .containsExactly("Varve, index off", "Varve, index off, unjoined");
    }

    @Test
    void speed_overTls_reachesTheResponderFromEachSide() throws Exception {
        List<String> words = List.of(
                "--java",
                "-XX:TieredStopAtLevel=1",
                "--tls",
                "on",
                "--backends",
                "responder",
                "--runs",
                "1",
                "--seconds",
                "1",
                "--warm-up",
                "100",
                "--entities",
                "2",
                "--latency",
                "1",
                "--sides",
                "no-index,peer,sdk");

        Report report = new SpeedBench(CommandOptions.parse(words, SpeedBench.DEFAULTS)).run();

        assertThat(report.tables())
                .extracting(ReportTable::title)
                .containsExactly("Responder over TLS, answers after 1 ms");
        assertThat(report.tables().get(0).rows())
                .extracting(row -> row.get(1))
                .containsExactly("Varve, index off", "predecessor", "bare SDK client");
        assertThat(report.tables().get(0).rows())
                .allSatisfy(row -> assertThat(Double.parseDouble(row.get(2))).isPositive());
    }

    @Test
    void anotherCheckout_isNamed_whereItIsASide() {
        CommandOptions options = CommandOptions.parse(List.of("--sides", "varve,other"), SpeedBench.DEFAULTS);

        assertThatThrownBy(() -> new SpeedBench(options))
                .hasMessage("--other DIR, the folder of another checkout, and the side other need each other");
    }

    @Test
    void unknownSide_isNamed_withThoseThatAreKnown() {
        CommandOptions options = CommandOptions.parse(List.of("--sides", "varve,another"), SpeedBench.DEFAULTS);

        assertThatThrownBy(() -> SpeedBench.sides(options))
                .hasMessage(
                        "--sides knows no \"another\"; known are [varve, no-index, marked, unjoined, sdk-http, other, peer, sdk]");
    }
}
