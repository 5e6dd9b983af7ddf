package io.varve.testkit.internal.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Item sizes: known examples. */
final class ItemBytesTest {

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "1, 2",
        "10, 2",
        "12, 2",
        "100, 2",
        "123, 3",
        "1234, 3",
        "-1, 3",
        "-1234, 4",
        "0.5, 2",
        "0.0012, 2",
        "1.5, 2",
        "1.23, 3",
        "1E+10, 2",
        "12300000, 3",
        "1762000000000000, 3",
        "1762000000123456, 9"
    })
    void ofNumber_knownExamples(String number, int bytes) {
        assertThat(ItemBytes.ofNumber(number)).isEqualTo(bytes);
    }

    @Test
    void of_eachType() {
        assertThat(ItemBytes.of(Map.of("s", AttributeValue.fromS("aé")))).isEqualTo(1 + 3);
        assertThat(ItemBytes.of(Map.of("flag", AttributeValue.fromBool(false)))).isEqualTo(4 + 1);
        assertThat(ItemBytes.of(Map.of("nul", AttributeValue.fromNul(true)))).isEqualTo(3 + 1);
        assertThat(ItemBytes.of(Map.of("ss", AttributeValue.fromSs(List.of("a", "bc")))))
                .isEqualTo(2 + 3);
        assertThat(ItemBytes.of(Map.of("ns", AttributeValue.fromNs(List.of("1", "123")))))
                .isEqualTo(2 + 2 + 3);
        assertThat(ItemBytes.of(Map.of("bs", AttributeValue.fromBs(List.of(bytes(4), bytes(5))))))
                .isEqualTo(2 + 9);
        assertThat(ItemBytes.of(Map.of("l", AttributeValue.fromL(List.of())))).isEqualTo(1 + 3);
        assertThat(ItemBytes.of(Map.of("l", AttributeValue.fromL(List.of(AttributeValue.fromS("ab"))))))
                .isEqualTo(1 + 3 + 1 + 2);
        assertThat(ItemBytes.of(Map.of("m", AttributeValue.fromM(Map.of("key", AttributeValue.fromN("7"))))))
                .isEqualTo(1 + 3 + 1 + 3 + 2);
    }

    private static SdkBytes bytes(int length) {
        return SdkBytes.fromByteArray(new byte[length]);
    }
}
