package io.varve.benchmark.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandOptionsTest {
    private static final Map<String, String> DEFAULTS = Map.of("runs", "5", "latency", "0,5", "sides", "varve");

    private static CommandOptions parse(String... words) {
        return CommandOptions.parse(List.of(words), DEFAULTS);
    }

    @Test
    void optionsThatAreNotGiven_haveTheirDefaults() {
        assertThat(parse("--runs", "7").positive("runs")).isEqualTo(7);
        assertThat(parse("--runs", "7").numbers("latency")).containsExactly(0, 5);
    }

    @Test
    void unknownOption_isNamed_withThoseThatAreKnown() {
        assertThatThrownBy(() -> parse("--rums", "7"))
                .isInstanceOf(CommandOptions.UsageException.class)
                .hasMessage("there is no option --rums; known are --latency, --runs, --sides");
    }

    @Test
    void optionWithoutValue_isRefused() {
        assertThatThrownBy(() -> parse("--runs")).hasMessage("--runs needs a value");
    }

    @Test
    void whatIsNoNumberOrTooSmall_isRefused() {
        assertThatThrownBy(() -> parse("--runs", "many").positive("runs"))
                .hasMessage("--runs needs a number from 1 on, not \"many\"");
        assertThatThrownBy(() -> parse("--runs", "0").positive("runs")).hasMessageContaining("from 1 on, not \"0\"");
        assertThatThrownBy(() -> parse("--latency", "1,,2").numbers("latency"))
                .hasMessageContaining("--latency needs a number from 0 on, not \"\"");
    }

    @Test
    void flag_isOnOrOff() {
        assertThat(parse("--sides", "on").flag("sides")).isTrue();
        assertThat(parse("--sides", "off").flag("sides")).isFalse();
        assertThatThrownBy(() -> parse("--sides", "true").flag("sides"))
                .hasMessage("--sides needs on or off, not \"true\"");
    }

    @Test
    void wordThatIsNotPossible_isNamed() {
        assertThatThrownBy(() -> parse("--sides", "varve,other").words("sides", List.of("varve", "peer")))
                .hasMessage("--sides knows no \"other\"; known are [varve, peer]");
    }
}
