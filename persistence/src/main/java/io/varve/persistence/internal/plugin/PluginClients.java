package io.varve.persistence.internal.plugin;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.SettingsException;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientLease;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Credentials;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.client.PredecessorConfig;
import io.varve.store.internal.client.SharedClients;
import io.varve.store.internal.settings.SettingsReader;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * The DynamoDB clients of an actor system: one for each distinct configuration, closed with the last plugin that uses it or with
 * the system.
 */
public final class PluginClients implements Extension {
    private static final Logger LOG = LoggerFactory.getLogger(PluginClients.class);
    private static final Id ID = new Id();

    private final Config config;
    private final SharedClients shared = new SharedClients();
    private final Map<String, DynamoDbAsyncClient> ownClients = new ConcurrentHashMap<>();
    private final Map<String, Credentials> ownCredentials = new ConcurrentHashMap<>();
    private final Map<String, Connection> kept = new ConcurrentHashMap<>();
    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    private final Observers observers = new Observers();
    private volatile InstantSource clock = InstantSource.system();

    private PluginClients(ExtendedActorSystem system) {
        this.config = system.settings().config();
        system.registerOnTermination(shared::close);
    }

    /** The clients of this actor system. */
    public static PluginClients get(ClassicActorSystemProvider system) {
        return ID.get(system.classicSystem());
    }

    /**
     * Makes the plugins whose {@code use-client} is {@code configPath} use this client. It stays the user's: it is not closed
     * here.
     */
    public void useClient(String configPath, DynamoDbAsyncClient client) {
        ownClients.put(configPath, client);
    }

    /** Makes the client that is configured at {@code configPath} take its credentials from this provider. */
    public void useCredentials(String configPath, AwsCredentialsProvider provider) {
        ownCredentials.put(configPath, new Credentials.Own(provider));
    }

    /** Tells this observer of every request of this actor system's plugins from now on. */
    public void observe(StoreObserver observer) {
        observers.add(observer);
    }

    /** Makes the plugins that start from now on take the time from this clock, which is for tests. */
    public void useClock(InstantSource source) {
        clock = source;
    }

    /** The clock that gives events and snapshots their timestamps. */
    public InstantSource clock() {
        return clock;
    }

    /**
     * Connects a plugin.
     *
     * @param section the plugin's section, which names the client's in {@code use-client} and may override it with a section
     *     {@code client} of its own, and with the keys of the predecessors
     * @param path where the section stands
     * @param adjust the plugin's own changes to how the gateway works
     * @param executor where retries run
     */
    public Connection connect(Config section, String path, UnaryOperator<GatewaySettings> adjust, Executor executor) {
        return connect(config, section, path, adjust, executor);
    }

    /** As {@link #connect(Config, String, UnaryOperator, Executor)}, with the client's section taken from {@code all}. */
    public Connection connect(
            Config all, Config section, String path, UnaryOperator<GatewaySettings> adjust, Executor executor) {
        String clientPath = clientPath(all, section, path);
        PredecessorConfig predecessor = PredecessorConfig.from(section, path);
        predecessor.ignored().stream()
                .filter(reported::add)
                .forEach(key -> LOG.warn("The setting {} has no meaning for today's AWS client and is ignored.", key));
        Config merged = predecessor.overlay().withFallback(client(all, section, clientPath));
        GatewaySettings gatewaySettings = adjust.apply(GatewaySettings.from(merged, clientPath));
        ClientSettings configured = ClientSettings.from(merged, clientPath);
        boolean tracing = section.hasPath("tracing") && new SettingsReader(section, path).flag("tracing");
        Credentials own = ownCredentials.get(clientPath);
        ClientSettings settings = own == null ? configured : configured.withCredentials(own);
        DynamoDbAsyncClient ownClient = ownClients.get(clientPath);
        ClientLease lease = ownClient == null ? shared.acquire(settings) : ClientLease.of(ownClient);
        StoreObserver observer = tracing ? new Tracing(path, observers) : observers;
        return new Connection(lease, new Gateway(lease.client(), gatewaySettings, observer, executor), settings);
    }

    /** The client of the section at {@code path}, which is open as long as the actor system. */
    public DynamoDbAsyncClient client(String path) {
        return kept.computeIfAbsent(
                        path, name -> connect(config.getConfig(name), name, settings -> settings, Runnable::run))
                .lease()
                .client();
    }

    /** How requests of a plugin are sent, where it has a client from elsewhere. */
    public GatewaySettings gatewaySettings(Config section, String path) {
        return gatewaySettings(config, section, path);
    }

    /** As {@link #gatewaySettings(Config, String)}, with the client's section taken from {@code all}. */
    public GatewaySettings gatewaySettings(Config all, Config section, String path) {
        String clientPath = clientPath(all, section, path);
        return GatewaySettings.from(client(all, section, clientPath), clientPath);
    }

    private static String clientPath(Config all, Config section, String path) {
        String clientPath = section.hasPath("use-client") ? section.getString("use-client") : ClientSettings.PATH;
        if (!all.hasPath(clientPath)) {
            throw new SettingsException(
                    path + ".use-client",
                    "names the section '" + clientPath + "', which the configuration does not have");
        }
        return clientPath;
    }

    private static Config client(Config all, Config section, String clientPath) {
        return (section.hasPath("client") ? section.getConfig("client") : ConfigFactory.empty())
                .withFallback(all.getConfig(clientPath))
                .withFallback(all.getConfig(ClientSettings.PATH));
    }

    /** A plugin's use of a client. */
    public record Connection(ClientLease lease, Gateway gateway, ClientSettings settings) implements AutoCloseable {
        @Override
        public void close() {
            lease.close();
        }
    }

    private static final class Id extends AbstractExtensionId<PluginClients> {
        @Override
        public PluginClients createExtension(ExtendedActorSystem system) {
            return new PluginClients(system);
        }
    }
}
