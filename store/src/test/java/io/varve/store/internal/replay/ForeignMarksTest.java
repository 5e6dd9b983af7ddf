package io.varve.store.internal.replay;

import static io.varve.store.internal.layout.Mutations.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.Mutations;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Whatever stands in a mark is a value or refused by name. */
class ForeignMarksTest {
    private static final JournalKeys KEYS = new JournalKeys("journal");

    private static void read(Item item) {
        Marks marks = Marks.of(KEYS, List.of(item));
        assertThat(List.of(marks.low(), marks.high(), marks.deleteFrom()))
                .allMatch(number -> number >= 0 && number <= Long.MAX_VALUE - 10_000);
        assertThat(marks.timestamp()).isBetween(0L, 253_402_300_799_999_999L);
    }

    @Test
    void lowMarks_areAValueOrRefused() {
        Map<String, AttributeValue> mark = new HashMap<>(KEYS.lowKey("Cart|7", 3));
        mark.putAll(attributes("seq", 412, "del_from", 300, "ts", 1_700_000_000_000_000L));
        Mutations.check(mark, ForeignMarksTest::read);
    }

    @Test
    void highMarks_areAValueOrRefused() {
        Map<String, AttributeValue> mark = new HashMap<>(KEYS.highKey("Cart|7", 3));
        mark.putAll(attributes("seq", 400));
        Mutations.check(mark, ForeignMarksTest::read);
    }
}
