package io.varve.store.internal.offset;

import io.varve.store.Slices;
import io.varve.store.internal.journal.TestStore;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/** Offset tables of tests, and what stands in them. */
final class TestOffsets {
    private TestOffsets() {}

    static void create(DynamoDbAsyncClient client, String table) {
        TestStore.await(new TableCreator(TestStore.on(client, table).gateway(), Duration.ofSeconds(30))
                .create(Tables.offsets(table), TableOptions.DEFAULT));
    }

    static OffsetTable of(DynamoDbAsyncClient client, String table, String projection) {
        return of(client, table, projection, OffsetSettings.DEFAULT);
    }

    static OffsetTable of(DynamoDbAsyncClient client, String table, String projection, OffsetSettings settings) {
        return new OffsetTable(
                TestStore.on(client, table).gateway(), table, projection, settings, InstantSource.system());
    }

    static List<Map<String, AttributeValue>> items(DynamoDbAsyncClient client, String table) {
        List<Map<String, AttributeValue>> all = new ArrayList<>();
        Map<String, AttributeValue> start = Map.of();
        do {
            Map<String, AttributeValue> from = start;
            ScanResponse page = client.scan(scan ->
                            scan.tableName(table).consistentRead(true).exclusiveStartKey(from.isEmpty() ? null : from))
                    .join();
            all.addAll(page.items());
            start = page.lastEvaluatedKey();
        } while (!start.isEmpty());
        return all;
    }

    /** The rows in short: {@code p-3 _ → ts=5 seen={}}, without what {@code attributes} does not name. */
    static Map<String, String> rows(DynamoDbAsyncClient client, String table, String... attributes) {
        Map<String, String> rows = new TreeMap<>();
        for (Map<String, AttributeValue> item : items(client, table)) {
            List<String> values = new ArrayList<>();
            for (String attribute : attributes) {
                AttributeValue value = item.get(attribute);
                if (value != null) {
                    values.add(attribute + "=" + (value.n() == null ? value.bool() : value.n()));
                }
            }
            rows.put(text(item, "name_slice") + " " + text(item, "pid"), String.join(" ", values));
        }
        return rows;
    }

    private static String text(Map<String, AttributeValue> item, String attribute) {
        return Objects.requireNonNull(item.get(attribute), attribute).s();
    }

    /** So many persistence ids of one slice. */
    static List<String> ofSlice(int slice, int number) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "cart|" + i)
                .filter(id -> Slices.of(id) == slice)
                .limit(number)
                .toList();
    }
}
