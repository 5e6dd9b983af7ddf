package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonRawValue;
import io.varve.store.VarveException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class JacksonItemCodecTest {
    record Line(String item, int quantity) {}

    @SuppressWarnings("ArrayRecordComponent") // a seal is never compared
    record Order(
            String id,
            long number,
            double weight,
            BigDecimal price,
            boolean paid,
            @Nullable String note,
            List<Line> lines,
            Map<String, Integer> counts,
            byte[] seal) {}

    private final JacksonItemCodec<Order> codec = JacksonItemCodec.of(Order.class);

    private static final Order ORDER = new Order(
            "o-1",
            Long.MAX_VALUE,
            0.1,
            new BigDecimal("12345678901234567890.123456789"),
            true,
            null,
            List.of(new Line("apple", 3)),
            Map.of("a", 1),
            new byte[] {1, 2});

    @Test
    void values_becomeAttributesOfDynamoDBsTypes() {
        Map<String, AttributeValue> item = codec.encode(ORDER);
        assertThat(item)
                .containsEntry("id", AttributeValue.fromS("o-1"))
                .containsEntry("number", AttributeValue.fromN("9223372036854775807"))
                .containsEntry("weight", AttributeValue.fromN("0.1"))
                .containsEntry("price", AttributeValue.fromN("12345678901234567890.123456789"))
                .containsEntry("paid", AttributeValue.fromBool(true))
                .containsEntry("note", AttributeValue.fromNul(true))
                .containsEntry(
                        "lines",
                        AttributeValue.fromL(List.of(AttributeValue.fromM(
                                Map.of("item", AttributeValue.fromS("apple"), "quantity", AttributeValue.fromN("3"))))))
                .containsEntry("counts", AttributeValue.fromM(Map.of("a", AttributeValue.fromN("1"))));
        assertThat(Objects.requireNonNull(item.get("seal")).b().asByteArray()).containsExactly(1, 2);
    }

    @Test
    void whatWasEncoded_isDecoded_whateverElseIsInTheItem() {
        Map<String, AttributeValue> item = new HashMap<>(codec.encode(ORDER));
        item.put("pk", AttributeValue.fromS("key"));
        item.put("tags", AttributeValue.fromSs(List.of("x")));
        assertThat(codec.decode(item)).usingRecursiveComparison().isEqualTo(ORDER);
    }

    @Test
    void stateThatIsNoObject_isRefused() {
        assertThatThrownBy(() -> JacksonItemCodec.of(String.class).encode("text"))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("STRING")
                .hasMessageContaining("java.lang.String");
    }

    @Test
    void numberThatDynamoDBDoesNotHave_isRefused() {
        record Weight(double value) {}
        assertThatThrownBy(() -> JacksonItemCodec.of(Weight.class).encode(new Weight(Double.NaN)))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("NaN");
    }

    @Test
    void itemOfAnotherShape_isAnErrorThatNamesTheType() {
        assertThatThrownBy(() -> codec.decode(Map.of("number", AttributeValue.fromS("many"))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining(Order.class.getName());
    }

    record Raw(@JsonRawValue String json) {}

    @Test
    void rawJson_isRefused() {
        assertThatThrownBy(() -> JacksonItemCodec.of(Raw.class).encode(new Raw("{\"x\": 1}")))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("RawValue")
                .hasMessageNotContaining("{");
    }
}
