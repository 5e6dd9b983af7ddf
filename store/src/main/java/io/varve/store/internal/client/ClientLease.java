package io.varve.store.internal.client;

import java.util.concurrent.atomic.AtomicBoolean;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The use of a client until it is closed; closing it twice does no harm. */
public final class ClientLease implements AutoCloseable {
    private final DynamoDbAsyncClient client;
    private final Runnable release;
    private final AtomicBoolean closed = new AtomicBoolean();

    ClientLease(DynamoDbAsyncClient client, Runnable release) {
        this.client = client;
        this.release = release;
    }

    /** A client that belongs to the user: never closed here. */
    public static ClientLease of(DynamoDbAsyncClient client) {
        return new ClientLease(client, () -> {});
    }

    /** The client. */
    public DynamoDbAsyncClient client() {
        return client;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release.run();
        }
    }
}
