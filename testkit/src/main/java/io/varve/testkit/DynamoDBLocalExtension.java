package io.varve.testkit;

import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Injects the shared {@link DynamoDBLocal}, a client of it, and for each test fresh {@link TableNames} and a {@link FaultProxy}.
 *
 * <p>Server and client are shared by all tests: do not close, kill or pause them. Table names and proxy asked for in {@code @BeforeAll} are the same for all tests of the class.
 */
public final class DynamoDBLocalExtension implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(DynamoDBLocalExtension.class);

    /** Makes the constructor's parameters belong to the test instead of the class. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    /** Whether the parameter is one of the injected types. */
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == DynamoDBLocal.class
                || type == DynamoDbAsyncClient.class
                || type == TableNames.class
                || type == FaultProxy.class;
    }

    /** The parameter's value. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (type == DynamoDBLocal.class) {
            return DynamoDBLocal.shared();
        } else if (type == DynamoDbAsyncClient.class) {
            return clientOf(DynamoDBLocal.shared(), context.getRoot());
        } else if (type == TableNames.class) {
            return once(context, TableNames.class, TableNames::fresh);
        } else if (type == FaultProxy.class) {
            return once(
                    context,
                    FaultProxy.class,
                    () -> FaultProxy.start(DynamoDBLocal.shared().endpoint()));
        }
        throw new ParameterResolutionException("Not a type of the testkit: " + type);
    }

    /** One client for all tests, until the shared server had to be started again elsewhere. */
    private static DynamoDbAsyncClient clientOf(DynamoDBLocal local, ExtensionContext root) {
        return root.getStore(NAMESPACE)
                .getOrComputeIfAbsent(local.endpoint(), endpoint -> local.client(), DynamoDbAsyncClient.class);
    }

    private static <T> T once(ExtensionContext context, Class<T> type, Supplier<T> create) {
        return context.getStore(NAMESPACE).getOrComputeIfAbsent(type, key -> create.get(), type);
    }
}
