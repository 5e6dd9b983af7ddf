package io.varve.store.internal.offset;

import static io.varve.store.internal.layout.Mutations.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Mutations;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Whatever stands in a row of the offset table is a value or refused by name. */
class ForeignRowsTest {
    private static final OffsetRows ROWS = new OffsetRows("the-table", "carts", Optional.of("Cart"), true);
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

    private static void readPlace(Item item) {
        assertThat(OffsetRows.row(item)).isNotNull();
        assertThat(OffsetRows.slice(item)).isBetween(0, 1023);
        SliceOffset place = OffsetRows.slicePlace(item);
        assertThat(place.timestamp()).isBetween(0L, 253_402_300_799_999_999L);
        assertThat(place.setTo()).isBetween(0L, 253_402_300_799_999_999L);
        assertThat(place.seen().values()).allMatch(number -> number >= 0 && number <= Long.MAX_VALUE - 10_000);
    }

    private static void readEntity(Item item) {
        OffsetRows.isExpired(item, NOW);
        assertThat(OffsetRows.epoch(item).orElse(0)).isBetween(0L, 253_402_300_799_999_999L);
        assertThat(OffsetRows.saved(item).orElse(0)).isBetween(0L, 253_402_300_799_999_999L);
        LastProcessed last = OffsetRows.lastProcessed(item);
        assertThat(last.sequenceNumber()).isBetween(0L, Long.MAX_VALUE - 10_000);
        assertThat(last.timestamp()).isBetween(0L, 253_402_300_799_999_999L);
    }

    private static void readManagement(Item item) {
        assertThat(OffsetRows.row(item)).isNotNull();
        item.flag(OffsetRows.PAUSED);
    }

    @Test
    void placesOfSlices_areAValueOrRefused() {
        Map<String, AttributeValue> row =
                ROWS.encode(1023, new SliceOffset(1_700_000_000_000_000L, Map.of("Cart|7", 5L, "Cart|8", 1L), 17), 3);
        Mutations.check(row, ForeignRowsTest::readPlace);
    }

    @Test
    void floors_areAValueOrRefused() {
        Map<String, AttributeValue> row = ROWS.encode(
                1023,
                new SliceOffset(1_700_000_000_000_000L, Map.of(), 0),
                3,
                new SliceFloor(1_700_000_000_000_000L, 0, 15));
        Mutations.check(
                row,
                item -> OffsetRows.floor(item).ifPresent(floor -> {
                    assertThat(floor.timestamp()).isBetween(0L, 253_402_300_799_999_999L);
                    assertThat(floor.minSlice()).isBetween(0, 1023);
                    assertThat(floor.maxSlice()).isBetween(0, 1023);
                }));
    }

    @Test
    void rowsOfEntities_areAValueOrRefused() {
        LastProcessed last = new LastProcessed("Cart|7", 5, 1_700_000_000_000_000L);
        Mutations.check(ROWS.saved(last, 3, Optional.of(NOW)), ForeignRowsTest::readEntity);
        Mutations.check(ROWS.fenced(last, 3, Optional.of(NOW)), ForeignRowsTest::readEntity);
    }

    @Test
    void offsetsSetByHand_areAValueOrRefused() {
        Map<String, AttributeValue> row =
                ROWS.encode(1023, new SetOffset(3, 1_700_000_000_000_000L, Map.of("Cart|7", 5L)));
        Mutations.check(row, item -> {
            SetOffset set = OffsetRows.setOffset(item);
            assertThat(set.epoch()).isBetween(0L, 253_402_300_799_999_999L);
            assertThat(set.timestamp()).isBetween(0L, 253_402_300_799_999_999L);
        });
    }

    @Test
    void rowsOfTheManagement_areAValueOrRefused() {
        Map<String, AttributeValue> row = new HashMap<>(ROWS.managementKey(3));
        row.putAll(attributes("paused", AttributeValue.fromBool(true)));
        Mutations.check(row, ForeignRowsTest::readManagement);
    }
}
