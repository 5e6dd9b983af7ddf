package io.varve.interop;

import com.typesafe.config.ConfigFactory;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.PredecessorTables;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/** A journal table on DynamoDB Local with its raw items, which are named {@code par/num} here. */
record JournalTable(String name, URI endpoint, DynamoDbAsyncClient client, boolean hasSliceIndex) {

    /** A new table as the predecessor's users have it: keys, no index. */
    static JournalTable ofPredecessor(DynamoDBLocal local, DynamoDbAsyncClient client) {
        String name = TableNames.fresh().journal();
        PredecessorTables.createJournal(client, name);
        return new JournalTable(name, local.endpoint(), client, false);
    }

    /** A new table as Varve creates it. */
    static JournalTable ofVarve(DynamoDBLocal local, DynamoDbAsyncClient client) {
        String name = TableNames.fresh().journal();
        create(client, Tables.journal(name));
        return new JournalTable(name, local.endpoint(), client, true);
    }

    /** Creates a table of Varve's. */
    static void create(DynamoDbAsyncClient client, TableDefinition definition) {
        GatewaySettings settings = GatewaySettings.from(
                ConfigFactory.defaultReference().getConfig(ClientSettings.PATH), ClientSettings.PATH);
        Gateway gateway = new Gateway(client, settings, StoreObserver.NONE, ForkJoinPool.commonPool());
        new TableCreator(gateway, Duration.ofSeconds(30))
                .create(definition, TableOptions.DEFAULT)
                .toCompletableFuture()
                .join();
    }

    /** All items, sorted by their names. */
    Map<String, Map<String, AttributeValue>> items() {
        Map<String, Map<String, AttributeValue>> items = new TreeMap<>();
        ScanRequest scan =
                ScanRequest.builder().tableName(name).consistentRead(true).build();
        client.scanPaginator(scan)
                .items()
                .subscribe(item -> items.put(
                        value(item, "par").s() + "/" + value(item, "num").n(), item))
                .join();
        return items;
    }

    /** The names of the items of one kind: P, SH or SL. */
    List<String> names(String kind) {
        return items().keySet().stream()
                .filter(itemName -> itemName.contains("-" + kind + "-"))
                .toList();
    }

    void put(Map<String, AttributeValue> item) {
        client.putItem(request -> request.tableName(name).item(item)).join();
    }

    /** Takes the high marks away, as if they had never been written. */
    void deleteHighMarks() {
        for (String mark : names("SH")) {
            delete(mark);
        }
    }

    /** Takes events away, as if they had never been written. */
    void deleteEvents(String persistenceId, long from, long to) {
        for (long number = from; number <= to; number++) {
            delete("journal-P-%s-%d/%d".formatted(persistenceId, number / 100, number % 100));
        }
    }

    void delete(String itemName) {
        int slash = itemName.lastIndexOf('/');
        Map<String, AttributeValue> key = Map.of(
                "par", AttributeValue.fromS(itemName.substring(0, slash)),
                "num", AttributeValue.fromN(itemName.substring(slash + 1)));
        client.deleteItem(request -> request.tableName(name).key(key)).join();
    }

    /** An attribute that the item must have. */
    static AttributeValue value(Map<String, AttributeValue> item, String attribute) {
        return Objects.requireNonNull(item.get(attribute), () -> attribute + " is missing from " + item);
    }
}
