package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Item sizes: known examples and laws. */
final class ItemSizeTest {

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
        assertThat(ItemSize.ofNumber(number)).isEqualTo(bytes);
    }

    @Example
    void of_eachType() {
        assertThat(ItemSize.of(Map.of("s", AttributeValue.fromS("aé")))).isEqualTo(1 + 3);
        assertThat(ItemSize.of(Map.of("flag", AttributeValue.fromBool(false)))).isEqualTo(4 + 1);
        assertThat(ItemSize.of(Map.of("nul", AttributeValue.fromNul(true)))).isEqualTo(3 + 1);
        assertThat(ItemSize.of(Map.of("ss", AttributeValue.fromSs(List.of("a", "bc")))))
                .isEqualTo(2 + 3);
        assertThat(ItemSize.of(Map.of("ns", AttributeValue.fromNs(List.of("1", "123")))))
                .isEqualTo(2 + 2 + 3);
        assertThat(ItemSize.of(Map.of("bs", AttributeValue.fromBs(List.of(bytes(4), bytes(5))))))
                .isEqualTo(2 + 9);
        assertThat(ItemSize.of(Map.of("l", AttributeValue.fromL(List.of())))).isEqualTo(1 + 3);
        assertThat(ItemSize.of(Map.of("l", AttributeValue.fromL(List.of(AttributeValue.fromS("ab"))))))
                .isEqualTo(1 + 3 + 1 + 2);
        assertThat(ItemSize.of(Map.of("m", AttributeValue.fromM(Map.of("key", AttributeValue.fromN("7"))))))
                .isEqualTo(1 + 3 + 1 + 3 + 2);
    }

    @Property(tries = 200)
    void of_binary_isItsLength(@ForAll @IntRange(max = 2000) int length) {
        assertThat(ItemSize.of(Map.of("b", AttributeValue.fromB(bytes(length)))))
                .isEqualTo(1 + length);
    }

    @Property(tries = 200)
    void of_text_isItsUtf8Length(@ForAll @StringLength(max = 50) String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        String valid = new String(utf8, StandardCharsets.UTF_8);

        assertThat(ItemSize.of(Map.of("name", AttributeValue.fromS(valid)))).isEqualTo(4 + utf8.length);
    }

    @Property(tries = 200)
    void ofNumber_doesNotDependOnTheScale(@ForAll BigInteger digits, @ForAll @IntRange(min = -60, max = 60) int scale) {
        BigDecimal shifted = new BigDecimal(digits).scaleByPowerOfTen(scale);

        assertThat(ItemSize.ofNumber(shifted.toString())).isEqualTo(ItemSize.ofNumber(digits.toString()));
    }

    @Property(tries = 200)
    void ofNumber_minusSignCostsOneByte(@ForAll @IntRange(min = 1) int number) {
        assertThat(ItemSize.ofNumber("-" + number)).isEqualTo(ItemSize.ofNumber("" + number) + 1);
    }

    @Property(tries = 200)
    void of_item_isTheSumOfItsAttributes(@ForAll @StringLength(max = 20) String one, @ForAll int other) {
        AttributeValue text = AttributeValue.fromS(one.replaceAll("\\p{Cs}", "?"));
        AttributeValue number = AttributeValue.fromN(Integer.toString(other));

        assertThat(ItemSize.of(Map.of("one", text, "other", number)))
                .isEqualTo(ItemSize.of(Map.of("one", text)) + ItemSize.of(Map.of("other", number)));
    }

    private static SdkBytes bytes(int length) {
        return SdkBytes.fromByteArray(new byte[length]);
    }
}
