package io.varve.chaos.node;

import com.typesafe.config.Config;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.VarveTables;
import io.varve.projection.DynamoDBProjectionSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.AddressFromURIString;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Down;
import org.apache.pekko.cluster.typed.Join;
import scala.jdk.javaapi.CollectionConverters;

/** The actor system of a node, and what it can be asked. */
final class BankNode {
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);

    private final ActorSystem<Void> system;
    private final Config config;
    private final BankProjections projections;
    private volatile Duration skew;

    BankNode(Config all) {
        this.config = all.getConfig("chaos");
        this.skew = config.getDuration("clock-skew");
        this.system = ActorSystem.create(Behaviors.empty(), "bank", all);
        DynamoDBClients clients = DynamoDBClients.get(system);
        clients.useClock(() -> Instant.now().plus(skew));
        ModelTable table =
                new ModelTable(clients.client(DynamoDBProjectionSettings.PATH), config.getString("model-table"));
        if (config.getBoolean("first")) {
            VarveTables.createAll(system).toCompletableFuture().join();
            cluster().manager().tell(Join.create(cluster().selfMember().address()));
        }
        this.projections = new BankProjections(system, table);
        awaitUp();
        ClusterSharding.get(system)
                .init(Entity.of(AccountEntity.TYPE, entity -> AccountEntity.create(entity.getEntityId()))
                        .withStopMessage(AccountCommand.Stop.INSTANCE));
        projections.init();
        TagFollower.init(system, table);
    }

    /** A node that cannot join ends by itself, by configuration. */
    private void awaitUp() {
        CompletableFuture<Done> up = new CompletableFuture<>();
        org.apache.pekko.cluster.Cluster.get(system).registerOnMemberUp(() -> up.complete(Done.getInstance()));
        up.join();
    }

    private Cluster cluster() {
        return Cluster.get(system);
    }

    /** Does what a line asks for. */
    CompletionStage<String> answer(String line) {
        List<String> words = List.of(line.split(" ", -1));
        return switch (words.get(0)) {
            case "do" -> ask(words.get(1), words.get(2), amounts(words.get(3)));
            case "members" -> CompletableFuture.completedFuture(members());
            case "down" -> CompletableFuture.completedFuture(down(words.get(1)));
            case "skew" -> CompletableFuture.completedFuture(skew(words.get(1)));
            case "pause" -> projections.pause(words.get(1)).thenApply(done -> "ok");
            case "resume" -> projections.resume(words.get(1)).thenApply(done -> "ok");
            case "rewind" -> projections.rewind(words.get(1)).thenApply(done -> "ok");
            case "sample" -> CompletableFuture.completedFuture(JvmSample.take());
            case "leave" -> leave();
            default -> CompletableFuture.failedFuture(new IllegalArgumentException(line));
        };
    }

    private CompletionStage<String> ask(String operation, String account, List<Long> amounts) {
        return ClusterSharding.get(system)
                .entityRefFor(AccountEntity.TYPE, account)
                .ask(replyTo -> new AccountCommand.Move(operation, amounts, replyTo), LONGEST_ANSWER);
    }

    private static List<Long> amounts(String text) {
        return Arrays.stream(text.split(",", -1)).map(Long::valueOf).toList();
    }

    /** How many members are up as this node sees it, and how many it cannot reach. */
    private String members() {
        var state = cluster().state();
        long up = CollectionConverters.asJava(state.members()).stream()
                .filter(member -> member.status().equals(MemberStatus.up()))
                .count();
        return up + " " + state.getUnreachable().size();
    }

    private String down(String address) {
        Address other = AddressFromURIString.parse(address);
        cluster().manager().tell(Down.apply(other));
        return "ok";
    }

    private String skew(String millis) {
        skew = Duration.ofMillis(Long.parseLong(millis));
        return "ok";
    }

    /** The node hands over what runs here, and its JVM ends. */
    private CompletionStage<String> leave() {
        CoordinatedShutdown.get(system).runAll(CoordinatedShutdown.clusterLeavingReason());
        return CompletableFuture.completedFuture("ok");
    }
}
