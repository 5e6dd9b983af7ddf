package io.varve.chaos.check;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads the tables of the bank with the plain SDK. An item that has no place there is an error. */
public final class TableReader {
    private static final int GROUP = 100;

    private final DynamoDbAsyncClient client;
    private final Map<String, StoredAccount> accounts = new TreeMap<>();

    private TableReader(DynamoDbAsyncClient client) {
        this.client = client;
    }

    /** Everything that is stored, consistently for each item. */
    public static Collection<StoredAccount> read(DynamoDbAsyncClient client) {
        TableReader reader = new TableReader(client);
        reader.scan("bank-journal").forEach(reader::journalItem);
        reader.scan("bank-snapshots").forEach(reader::snapshotItem);
        reader.scan("bank-models").forEach(reader::modelItem);
        reader.accounts.replaceAll((id, account) -> sorted(account));
        return reader.accounts.values();
    }

    /** The read models only, by account. */
    public static Map<String, Map<String, ReadModel>> models(DynamoDbAsyncClient client) {
        TableReader reader = new TableReader(client);
        reader.scan("bank-models").forEach(reader::modelItem);
        Map<String, Map<String, ReadModel>> models = new HashMap<>();
        reader.accounts.forEach((id, account) -> models.put(id, account.models()));
        return models;
    }

    private List<Map<String, AttributeValue>> scan(String table) {
        List<Map<String, AttributeValue>> items = new ArrayList<>();
        client.scanPaginator(scan -> scan.tableName(table).consistentRead(true))
                .items()
                .subscribe(items::add)
                .join();
        return items;
    }

    private void journalItem(Map<String, AttributeValue> item) {
        String key = text(item, "par");
        if (key.startsWith("journal-P-")) {
            event(key, item);
        } else if (key.startsWith("journal-SL-")) {
            String id = key.substring("journal-SL-".length(), key.lastIndexOf('-'));
            StoredAccount account = account(id);
            long mark = Math.max(account.lowMark(), number(item, "seq"));
            accounts.put(id, new StoredAccount(id, mark, account.events(), account.snapshots(), account.models()));
        } else if (!key.startsWith("journal-SH-") && !key.startsWith("journal-ID-") && !key.equals("journal-META")) {
            throw new IllegalStateException("The journal has an item under " + key);
        }
    }

    private void event(String key, Map<String, AttributeValue> item) {
        String id = text(item, "persistence_id");
        long number = number(item, "seq");
        String expected = "journal-P-" + id + "-" + number / GROUP;
        if (!key.equals(expected) || number(item, "num") != number % GROUP) {
            throw new IllegalStateException(
                    "Event %d of %s is under %s/%d".formatted(number, id, key, number(item, "num")));
        }
        String text = bytes(item, "event");
        int end = text.indexOf(' ');
        account(id)
                .events()
                .add(new StoredEvent(number, text.substring(0, end), text.substring(end + 1), number(item, "ts")));
    }

    private void snapshotItem(Map<String, AttributeValue> item) {
        String key = text(item, "par");
        if (!key.startsWith("journal-P-")) {
            throw new IllegalStateException("The snapshots have an item under " + key);
        }
        List<String> lines = bytes(item, "pay_data").lines().toList();
        account(key.substring("journal-P-".length())).snapshots().put(number(item, "seq"), lines);
    }

    private void modelItem(Map<String, AttributeValue> item) {
        String key = text(item, "id");
        int end = key.indexOf('/');
        if (end > 0) {
            List<Long> numbers = requireNonNull(item.get("numbers")).l().stream()
                    .map(number -> Long.valueOf(number.n()))
                    .toList();
            account(key.substring(end + 1))
                    .models()
                    .put(key.substring(0, end), new ReadModel(numbers, number(item, "amount")));
        }
    }

    private StoredAccount account(String id) {
        return accounts.computeIfAbsent(
                id, key -> new StoredAccount(id, 0, new ArrayList<>(), new HashMap<>(), new HashMap<>()));
    }

    private static StoredAccount sorted(StoredAccount account) {
        List<StoredEvent> events = new ArrayList<>(account.events());
        events.sort(Comparator.comparingLong(StoredEvent::number));
        return new StoredAccount(account.id(), account.lowMark(), events, account.snapshots(), account.models());
    }

    private static String text(Map<String, AttributeValue> item, String attribute) {
        return requireNonNull(item.get(attribute), attribute).s();
    }

    private static String bytes(Map<String, AttributeValue> item, String attribute) {
        return requireNonNull(item.get(attribute), attribute).b().asString(StandardCharsets.UTF_8);
    }

    private static long number(Map<String, AttributeValue> item, String attribute) {
        return Long.parseLong(requireNonNull(item.get(attribute), attribute).n());
    }
}
