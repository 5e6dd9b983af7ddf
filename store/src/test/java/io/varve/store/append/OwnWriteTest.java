package io.varve.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.append.AppendRequest.NewEvent;
import io.varve.store.append.Appender.Prepared;
import io.varve.store.client.WriteResult;
import io.varve.store.layout.Event;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.Head;
import io.varve.store.layout.JournalKeys;
import io.varve.store.layout.Payload;
import io.varve.store.table.JournalTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items in the way of a write: its own, come back through a retry whose token DynamoDB has forgotten, or another's. */
class OwnWriteTest {
    private static final EventItems ITEMS = new EventItems(new JournalKeys("journal"), OptionalInt.empty());

    private static Event event(long number, String text, String writer, long timestamp) {
        return new Event(
                "p",
                number,
                new Payload(SdkBytes.fromUtf8String(text), 20, ""),
                writer,
                "",
                Optional.empty(),
                Set.of(),
                timestamp,
                Optional.of(new Event.Batch((int) number - 1, 1, Optional.empty())),
                Optional.empty(),
                false);
    }

    private static Map<String, AttributeValue> item(long number, String text, String writer, long timestamp) {
        return ITEMS.encode(event(number, text, writer, timestamp));
    }

    private static AppendResult resultOf(Map<Integer, Map<String, AttributeValue>> existing) {
        List<Event> events = List.of(event(1, "one", "us", 10), event(2, "two", "us", 11));
        List<NewEvent> asked = events.stream()
                .map(e -> new NewEvent(e.sequenceNumber(), e.payload(), e.writer(), "", Optional.empty(), Set.of()))
                .toList();
        @SuppressWarnings("NullAway") // no request is sent
        JournalTable table = new JournalTable(null, "table", ITEMS, 1);
        return new Prepared(table, new AppendRequest("p", asked), events)
                .result(new WriteResult.ConditionFailed(existing, true), 0, 2);
    }

    @Test
    void allItemsOurs_isStored() {
        assertThat(resultOf(Map.of(0, item(1, "one", "us", 10), 1, item(2, "two", "us", 11))))
                .isInstanceOfSatisfying(AppendResult.Stored.class, stored -> {
                    assertThat(stored.head()).isEqualTo(new Head(2, 11));
                    assertThat(stored.events()).containsExactly(event(1, "one", "us", 10), event(2, "two", "us", 11));
                });
    }

    @Test
    void onlySomeOfThemOurs_isFenced() {
        assertThat(resultOf(Map.of(0, item(1, "one", "us", 10)))).isInstanceOf(AppendResult.Fenced.class);
    }

    @Test
    void otherWriterPayloadOrTime_isFenced() {
        assertThat(resultOf(Map.of(0, item(1, "one", "them", 10), 1, item(2, "two", "us", 11))))
                .isInstanceOf(AppendResult.Fenced.class);
        assertThat(resultOf(Map.of(0, item(1, "one", "us", 10), 1, item(2, "other", "us", 11))))
                .isInstanceOf(AppendResult.Fenced.class);
        assertThat(resultOf(Map.of(0, item(1, "one", "us", 10), 1, item(2, "two", "us", 12))))
                .isInstanceOf(AppendResult.Fenced.class);
        assertThat(resultOf(Map.of(0, Map.of()))).isInstanceOf(AppendResult.Fenced.class);
    }
}
