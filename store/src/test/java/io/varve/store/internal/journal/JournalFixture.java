package io.varve.store.internal.journal;

import io.varve.store.internal.TableFixture;
import io.varve.testkit.TableNames;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** An empty journal table for one test. */
public final class JournalFixture extends TableFixture {
    private JournalFixture(DynamoDbAsyncClient direct) {
        super(TableNames.fresh().journal(), direct);
        TestStore.createTable(table());
    }

    /** A node whose requests pass the proxy. */
    public TestStore.Builder node() {
        return TestStore.on(client(), table());
    }

    /** A node whose requests do not pass the proxy. */
    public TestStore.Builder directNode() {
        return TestStore.on(direct(), table());
    }

    /** A node that knows the journal's META; its requests are counted from now on. */
    public TestStore warm(TestStore.Builder node) {
        TestStore store = node.build();
        store.highest("another");
        proxy().requests().clear();
        return store;
    }

    /** A stored item, or an empty map. */
    Map<String, AttributeValue> item(Map<String, AttributeValue> key) {
        return TestStore.item(direct(), table(), key);
    }

    void put(Map<String, AttributeValue> item) {
        direct().putItem(r -> r.tableName(table()).item(item)).join();
    }

    void remove(Map<String, AttributeValue> key) {
        direct().deleteItem(r -> r.tableName(table()).key(key)).join();
    }

    StoredItems items(String persistenceId) {
        return new StoredItems(direct(), table(), persistenceId);
    }

    /** Gives each test its own. */
    public static final class Extension extends TableFixture.Extension<JournalFixture> {
        public Extension() {
            super(JournalFixture.class, JournalFixture::new);
        }
    }
}
