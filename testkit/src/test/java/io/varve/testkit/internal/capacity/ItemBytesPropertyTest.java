package io.varve.testkit.internal.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Item sizes: laws that hold for every value; each repetition draws from a seed of its own. */
final class ItemBytesPropertyTest {
    private final Random random;

    ItemBytesPropertyTest(RepetitionInfo repetition) {
        this.random = new Random(repetition.getCurrentRepetition());
    }

    private String text() {
        return random.ints(random.nextInt(50), 1, 0xD800)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @RepeatedTest(50)
    void of_binary_isItsLength() {
        int length = random.nextInt(2000);
        assertThat(ItemBytes.of(Map.of("b", AttributeValue.fromB(SdkBytes.fromByteArray(new byte[length])))))
                .isEqualTo(1 + length);
    }

    @RepeatedTest(50)
    void of_text_isItsUtf8Length() {
        String text = text();
        assertThat(ItemBytes.of(Map.of("name", AttributeValue.fromS(text))))
                .isEqualTo(4 + text.getBytes(StandardCharsets.UTF_8).length);
    }

    @RepeatedTest(50)
    void ofNumber_doesNotDependOnTheScale() {
        BigInteger digits = new BigInteger(1 + random.nextInt(110), random);
        BigDecimal shifted = new BigDecimal(digits).scaleByPowerOfTen(random.nextInt(121) - 60);
        assertThat(ItemBytes.ofNumber(shifted.toString())).isEqualTo(ItemBytes.ofNumber(digits.toString()));
    }

    @RepeatedTest(50)
    void ofNumber_minusSignCostsOneByte() {
        int number = 1 + random.nextInt(Integer.MAX_VALUE - 1);
        assertThat(ItemBytes.ofNumber("-" + number)).isEqualTo(ItemBytes.ofNumber("" + number) + 1);
    }

    @RepeatedTest(50)
    void of_item_isTheSumOfItsAttributes() {
        AttributeValue text = AttributeValue.fromS(text());
        AttributeValue number = AttributeValue.fromN(Integer.toString(random.nextInt()));
        assertThat(ItemBytes.of(Map.of("one", text, "other", number)))
                .isEqualTo(ItemBytes.of(Map.of("one", text)) + ItemBytes.of(Map.of("other", number)));
    }
}
