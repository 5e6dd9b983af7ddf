package io.varve.store.internal.client;

import java.util.HashMap;
import java.util.Map;

/** One SDK client for each distinct configuration, counted, and closed with its last user or with this. */
public final class SharedClients implements AutoCloseable {
    private final Map<ClientSettings, Shared> clients = new HashMap<>();
    private boolean closed;

    /** A use of the client with these settings; it is built with the first one. */
    public synchronized ClientLease acquire(ClientSettings settings) {
        if (closed) {
            throw new IllegalStateException("The DynamoDB clients are closed: the actor system has terminated.");
        }
        Shared shared = clients.computeIfAbsent(settings, s -> new Shared(ClientFactory.build(s)));
        shared.users++;
        return new ClientLease(shared.built.client(), () -> release(settings));
    }

    private synchronized void release(ClientSettings settings) {
        Shared shared = clients.get(settings);
        if (shared != null && --shared.users == 0) {
            clients.remove(settings);
            shared.built.close();
        }
    }

    /** Closes all clients, also those in use. */
    @Override
    public synchronized void close() {
        closed = true;
        clients.values().forEach(shared -> shared.built.close());
        clients.clear();
    }

    private static final class Shared {
        private final ClientFactory.Built built;
        private int users;

        Shared(ClientFactory.Built built) {
            this.built = built;
        }
    }
}
