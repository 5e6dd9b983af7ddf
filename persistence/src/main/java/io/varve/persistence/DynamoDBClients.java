package io.varve.persistence;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.store.StoreObserver;
import java.time.InstantSource;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * The DynamoDB clients of an actor system. Here you hand in a client, credentials, an observer or a clock of your own, before the
 * first plugin starts, and get the client of a plugin for requests of your own.
 */
public final class DynamoDBClients {
    private final PluginClients clients;

    private DynamoDBClients(PluginClients clients) {
        this.clients = clients;
    }

    /** The clients of this actor system. */
    public static DynamoDBClients get(ClassicActorSystemProvider system) {
        return new DynamoDBClients(PluginClients.get(system));
    }

    /**
     * Makes the plugins whose {@code use-client} is {@code configPath} use this client. It stays yours: it is not closed here.
     */
    public void useClient(String configPath, DynamoDbAsyncClient client) {
        clients.useClient(configPath, client);
    }

    /** Makes the client that is configured at {@code configPath} take its credentials from this provider. */
    public void useCredentials(String configPath, AwsCredentialsProvider provider) {
        clients.useCredentials(configPath, provider);
    }

    /** Tells this observer of every request of this actor system's plugins from now on. */
    public void observe(StoreObserver observer) {
        clients.observe(observer);
    }

    /** Makes the plugins that start from now on take the time from this clock, which is for tests. */
    public void useClock(InstantSource source) {
        clients.useClock(source);
    }

    /**
     * The client of the plugin, or of the projections, whose section is at {@code path}: {@code dynamodb-journal}, for example. It
     * is shared with the plugin and closed with the actor system. It does not retry: the plugins do that above it.
     */
    public DynamoDbAsyncClient client(String path) {
        return clients.client(path);
    }
}
