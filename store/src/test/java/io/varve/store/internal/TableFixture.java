package io.varve.store.internal;

import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** An empty table for one test, and two ways to it: through a proxy that counts and disturbs, and directly. */
public abstract class TableFixture implements AutoCloseable {
    private final String table;
    private final DynamoDbAsyncClient direct;
    private @Nullable FaultProxy proxy;
    private @Nullable DynamoDbAsyncClient client;

    /** With a client that all tests share. */
    protected TableFixture(String table, DynamoDbAsyncClient direct) {
        this.table = table;
        this.direct = direct;
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
    public abstract static class Extension<F extends TableFixture> implements ParameterResolver {
        private static final Namespace NAMESPACE = Namespace.create(TableFixture.class);

        private final Class<F> type;
        private final Function<DynamoDbAsyncClient, F> maker;

        /** With what makes a fixture from the client that all tests share. */
        protected Extension(Class<F> type, Function<DynamoDbAsyncClient, F> maker) {
            this.type = type;
            this.maker = maker;
        }

        /** Makes the constructor's parameters belong to the test instead of the class. */
        @Override
        public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
            return ExtensionContextScope.TEST_METHOD;
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == type;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            DynamoDBLocal local = DynamoDBLocal.shared();
            DynamoDbAsyncClient direct = context.getRoot()
                    .getStore(NAMESPACE)
                    .getOrComputeIfAbsent(local.endpoint(), endpoint -> local.client(), DynamoDbAsyncClient.class);
            return context.getStore(NAMESPACE).getOrComputeIfAbsent(type, key -> maker.apply(direct), type);
        }
    }
}
