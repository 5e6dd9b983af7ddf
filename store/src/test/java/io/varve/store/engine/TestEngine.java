package io.varve.store.engine;

import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.internal.engine.DynamoDBEngine;
import io.varve.testkit.internal.engine.EngineDifference;
import io.varve.testkit.internal.engine.EngineUnavailableException;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Assumptions;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** An engine that runs until the tests of this JVM have ended, or is known not to be had on this machine. */
public final class TestEngine {
    private static final Map<DynamoDBEngine, TestEngine> ENGINES = new EnumMap<>(DynamoDBEngine.class);
    private static final Map<DynamoDBEngine, String> UNAVAILABLE = new EnumMap<>(DynamoDBEngine.class);

    private final DynamoDBEngine engine;
    private final URI endpoint;
    private final DynamoDbAsyncClient client;

    private TestEngine(DynamoDBEngine engine, DynamoDBLocal server) {
        this.engine = engine;
        this.endpoint = server.endpoint();
        this.client = server.client();
    }

    /** The running engine; the test is skipped where there is none. */
    public static synchronized TestEngine of(DynamoDBEngine engine) {
        if (!UNAVAILABLE.containsKey(engine)) {
            try {
                return ENGINES.computeIfAbsent(engine, TestEngine::start);
            } catch (EngineUnavailableException e) {
                UNAVAILABLE.put(engine, String.valueOf(e.getMessage()));
            }
        }
        return Assumptions.abort(UNAVAILABLE.get(engine));
    }

    private static TestEngine start(DynamoDBEngine engine) {
        boolean chosen = engine == DynamoDBEngine.chosen(System.getProperties());
        return new TestEngine(engine, chosen ? DynamoDBLocal.shared() : DynamoDBLocal.inMemory(engine.id()));
    }

    /** Which one it is. */
    public DynamoDBEngine engine() {
        return engine;
    }

    /** Where it listens. */
    public URI endpoint() {
        return endpoint;
    }

    /** A client that all tests share. */
    public DynamoDbAsyncClient client() {
        return client;
    }

    /** Whether it differs in this from what AWS documents. */
    boolean differs(EngineDifference difference) {
        return engine.differs(difference);
    }

    /** DynamoDB's name of the error with which a request ends; "none" if it succeeds. */
    static String errorOf(Runnable request) {
        try {
            request.run();
            return "none";
        } catch (CompletionException e) {
            if (e.getCause() instanceof AwsServiceException failure) {
                return failure.awsErrorDetails().errorCode();
            }
            throw e;
        }
    }
}
