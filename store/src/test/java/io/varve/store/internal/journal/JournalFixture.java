package io.varve.store.internal.journal;

import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** An empty journal table for one test, and two ways to it: through a proxy that counts and disturbs, and directly. */
public final class JournalFixture implements AutoCloseable {
    private final String table = TableNames.fresh().journal();
    private final DynamoDbAsyncClient direct;
    private @Nullable FaultProxy proxy;
    private @Nullable DynamoDbAsyncClient client;

    private JournalFixture(DynamoDbAsyncClient direct) {
        this.direct = direct;
        TestStore.createTable(table);
    }

    public String table() {
        return table;
    }

    /** A client that all tests share. */
    public DynamoDbAsyncClient direct() {
        return direct;
    }

    public FaultProxy proxy() {
        if (proxy == null) {
            proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        }
        return proxy;
    }

    /** A client whose requests pass the proxy. */
    public DynamoDbAsyncClient client() {
        if (client == null) {
            client = proxy().client();
        }
        return client;
    }

    /** A node whose requests pass the proxy. */
    public TestStore.Builder node() {
        return TestStore.on(client(), table);
    }

    /** A node whose requests do not pass the proxy. */
    public TestStore.Builder directNode() {
        return TestStore.on(direct, table);
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
        return TestStore.item(direct, table, key);
    }

    void put(Map<String, AttributeValue> item) {
        direct.putItem(r -> r.tableName(table).item(item)).join();
    }

    void remove(Map<String, AttributeValue> key) {
        direct.deleteItem(r -> r.tableName(table).key(key)).join();
    }

    StoredItems items(String persistenceId) {
        return new StoredItems(direct, table, persistenceId);
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        if (proxy != null) {
            proxy.close();
        }
    }

    /** Gives each test its own. */
    public static final class Extension implements ParameterResolver {
        private static final Namespace NAMESPACE = Namespace.create(JournalFixture.class);

        /** Makes the constructor's parameters belong to the test instead of the class. */
        @Override
        public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
            return ExtensionContextScope.TEST_METHOD;
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == JournalFixture.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            DynamoDBLocal local = DynamoDBLocal.shared();
            DynamoDbAsyncClient direct = context.getRoot()
                    .getStore(NAMESPACE)
                    .getOrComputeIfAbsent(local.endpoint(), endpoint -> local.client(), DynamoDbAsyncClient.class);
            return context.getStore(NAMESPACE)
                    .getOrComputeIfAbsent(
                            JournalFixture.class, key -> new JournalFixture(direct), JournalFixture.class);
        }
    }
}
