package io.varve.store.internal.journal;

import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.entity.Listing;
import io.varve.store.internal.entity.PersistenceIds;
import io.varve.store.internal.entity.Source;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** A journal table with some indexes, and the ways to fill and to list it. */
record ListedTable(DynamoDbAsyncClient client, String name) {
    static final GlobalSecondaryIndex PID_INDEX =
            index("pid-idx", ProjectionType.KEYS_ONLY, "pid_bucket", "persistence_id");

    /** The predecessors' index, in the shape that they call alphabetical. */
    static final GlobalSecondaryIndex SORTED = index("sorted", ProjectionType.KEYS_ONLY, "num", "par");

    /** The predecessors' index as they make it if nothing else is said. */
    static final GlobalSecondaryIndex UNSORTED = index("unsorted", ProjectionType.KEYS_ONLY, "num");

    static final GlobalSecondaryIndex PROJECTED = index("projected", ProjectionType.ALL, "num", "par");

    private static GlobalSecondaryIndex index(String name, ProjectionType projection, String... key) {
        return GlobalSecondaryIndex.builder()
                .indexName(name)
                .keySchema(schema(key))
                .projection(p -> p.projectionType(projection))
                .build();
    }

    private static List<KeySchemaElement> schema(String... key) {
        List<KeySchemaElement> elements = new ArrayList<>();
        for (String attribute : key) {
            elements.add(KeySchemaElement.builder()
                    .attributeName(attribute)
                    .keyType(elements.isEmpty() ? KeyType.HASH : KeyType.RANGE)
                    .build());
        }
        return elements;
    }

    static ListedTable create(DynamoDbAsyncClient client, String name, GlobalSecondaryIndex... indexes) {
        Set<String> attributes = new TreeSet<>(Set.of("par", "num"));
        for (GlobalSecondaryIndex index : indexes) {
            index.keySchema().forEach(element -> attributes.add(element.attributeName()));
        }
        client.createTable(r -> {
                    r.tableName(name)
                            .keySchema(schema("par", "num"))
                            .attributeDefinitions(attributes.stream()
                                    .map(attribute -> AttributeDefinition.builder()
                                            .attributeName(attribute)
                                            .attributeType(
                                                    attribute.equals("num")
                                                            ? ScalarAttributeType.N
                                                            : ScalarAttributeType.S)
                                            .build())
                                    .toList())
                            .billingMode(BillingMode.PAY_PER_REQUEST);
                    if (indexes.length > 0) {
                        r.globalSecondaryIndexes(indexes);
                    }
                })
                .join();
        return new ListedTable(client, name);
    }

    Gateway gateway() {
        return new Gateway(
                client,
                new GatewaySettings(
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(30),
                        new Backoff(Duration.ofMillis(1), Duration.ofMillis(20), 0.5),
                        4,
                        Optional.empty()),
                StoreObserver.NONE,
                Runnable::run);
    }

    static Map<String, AttributeValue> event(String journalName, String id, long sequenceNumber, String text) {
        return new EventItems(new JournalKeys(journalName), OptionalInt.empty())
                .encode(new Event(
                        id,
                        sequenceNumber,
                        TestStore.payload(text),
                        "w",
                        "",
                        Optional.empty(),
                        Set.of(),
                        1,
                        Optional.empty(),
                        Optional.empty(),
                        false));
    }

    void put(List<Map<String, AttributeValue>> items) {
        List<WriteRequest> writes = items.stream()
                .map(item ->
                        WriteRequest.builder().putRequest(put -> put.item(item)).build())
                .toList();
        TestStore.await(gateway().batchWrite(name, writes, gateway().budget()));
    }

    void putFirstEvents(String journalName, List<String> ids) {
        put(ids.stream().map(id -> event(journalName, id, 1, "")).toList());
    }

    PersistenceIds ids(String journalName, Source source) {
        return new PersistenceIds(gateway(), name, new JournalKeys(journalName), source);
    }

    /** All ids of a listing. */
    static List<String> all(Listing listing) {
        List<String> all = new ArrayList<>();
        Optional<List<String>> page = TestStore.await(listing.next());
        while (page.isPresent()) {
            all.addAll(page.get());
            page = TestStore.await(listing.next());
        }
        return all;
    }

    List<String> list(String journalName, Source source) {
        return all(ids(journalName, source).list(Optional.empty()));
    }
}
