package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Item sizes: laws that hold for every value. */
final class ItemSizePropertyTest {

    @Property(tries = 200)
    void of_binary_isItsLength(@ForAll @IntRange(max = 2000) int length) {
        assertThat(ItemSize.of(Map.of("b", AttributeValue.fromB(SdkBytes.fromByteArray(new byte[length])))))
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
}
