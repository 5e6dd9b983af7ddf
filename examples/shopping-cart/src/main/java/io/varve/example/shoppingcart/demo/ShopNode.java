package io.varve.example.shoppingcart.demo;

import com.typesafe.config.Config;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.varve.example.shoppingcart.Carts;
import io.varve.example.shoppingcart.EventFeed;
import io.varve.example.shoppingcart.Shopper;
import io.varve.example.shoppingcart.http.HttpApi;
import io.varve.example.shoppingcart.projection.CartViews;
import io.varve.example.shoppingcart.projection.PopularItemsTable;
import io.varve.example.shoppingcart.projection.ProjectionControl;
import io.varve.example.shoppingcart.projection.ProjectionStatus;
import io.varve.example.shoppingcart.projection.Projections;
import io.varve.observe.micrometer.DynamoDBMetrics;
import io.varve.observe.micrometer.ProjectionMetrics;
import io.varve.persistence.DynamoDBClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.ParkedEntities;
import io.varve.projection.ProjectionProgress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** One node of the service: an actor system in a cluster, with carts, projections and an HTTP server. */
final class ShopNode implements AutoCloseable {
    private static final Duration LONGEST_JOIN = Duration.ofSeconds(60);
    private static final Duration LONGEST_END = Duration.ofSeconds(40);

    private final ActorSystem<Void> system;
    private final Carts carts;
    private final HttpApi api;

    private ShopNode(ActorSystem<Void> system) {
        this.system = system;
        Config config = system.settings().config();
        PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        DynamoDBMetrics.bind(system, metrics);
        ProjectionMetrics.bind(system, metrics);
        DynamoDbAsyncClient client = DynamoDBClients.get(system).client(DynamoDBProjectionSettings.PATH);
        PopularItemsTable popular = new PopularItemsTable(system, client);
        CartViews views = new CartViews(system, client);
        if (config.getBoolean("shopping-cart.create-tables")) {
            ShopTables.create(system, popular, views);
        }
        join();

        this.carts = Carts.init(system);
        Projections projections = new Projections(system);
        projections.init(popular, views);
        ActorRef<EventFeed.Command> feed = system.systemActorOf(
                EventFeed.create(config.getDuration("shopping-cart.event-history")), "event-feed", Props.empty());
        ProjectionStatus status = new ProjectionStatus(system, projections);
        this.api = new HttpApi(
                config.getConfig("shopping-cart.http"),
                carts,
                views,
                feed,
                popular,
                status,
                ProjectionControl.init(system, projections, popular),
                ProjectionProgress.create(system),
                ParkedEntities.create(system),
                metrics);
    }

    /** Starts a node and waits until it is a member of the cluster; without seed nodes it is the first one. */
    static ShopNode start(Config config) {
        ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "shopping-cart", config);
        try {
            return new ShopNode(system);
        } catch (RuntimeException e) {
            end(system).toCompletableFuture().join();
            throw e;
        }
    }

    private void join() {
        Cluster cluster = Cluster.get(system);
        if (system.settings().config().getStringList("pekko.cluster.seed-nodes").isEmpty()) {
            cluster.manager().tell(Join.create(cluster.selfMember().address()));
        }
        CompletableFuture<Done> up = new CompletableFuture<>();
        org.apache.pekko.cluster.Cluster.get(system).registerOnMemberUp(() -> up.complete(Done.getInstance()));
        up.orTimeout(LONGEST_JOIN.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** The node's address in the cluster, for others to join. */
    String clusterAddress() {
        return Cluster.get(system).selfMember().address().toString();
    }

    /** Starts the HTTP server; port 0 means any. Fails if the port is taken. */
    CompletionStage<URI> listen(int port) {
        String host = system.settings().config().getString("shopping-cart.http.interface");
        return Http.get(system)
                .newServerAt(host, port)
                .bind(api.route())
                .thenApply(binding -> binding.addToCoordinatedShutdown(Duration.ofSeconds(1), system))
                .thenApply(ServerBinding::localAddress)
                .thenApply(address -> URI.create("http://" + host + ":" + address.getPort() + "/"));
    }

    /** Makes traffic from this node. */
    void load(int commandsPerSecond) {
        Shopper.start(system, carts, commandsPerSecond);
    }

    /** Completes when the node has ended, for whatever reason. */
    CompletionStage<Done> ended() {
        return system.getWhenTerminated();
    }

    /** Leaves the cluster, handing over what runs here, and ends. */
    @Override
    public void close() {
        end(system)
                .toCompletableFuture()
                .orTimeout(LONGEST_END.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private static CompletionStage<Done> end(ActorSystem<?> system) {
        return CoordinatedShutdown.get(system).runAll(CoordinatedShutdown.clusterLeavingReason());
    }
}
