package io.varve.example.shoppingcart;

import io.varve.example.shoppingcart.ShoppingCart.Answer;
import io.varve.example.shoppingcart.ShoppingCart.Command;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.pattern.StatusReply;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.stream.javadsl.Sink;

/** All carts of the cluster: each lives on one node, and is reached from every one. */
public final class Carts {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int AT_ONCE = 8;

    private final ActorSystem<?> system;
    private final ClusterSharding sharding;
    private final DynamoDBReadJournal journal;

    private Carts(ActorSystem<?> system) {
        this.system = system;
        this.sharding = ClusterSharding.get(system);
        this.journal = PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    /**
     * A cart with its id.
     *
     * @param events how many events it is made of
     */
    public record Named(String id, SortedMap<String, Integer> items, int orders, long events) {}

    /** Makes this node a place for carts. */
    public static Carts init(ActorSystem<?> system) {
        Carts carts = new Carts(system);
        carts.sharding.init(Entity.of(ShoppingCart.TYPE, entity -> ShoppingCart.create(entity.getEntityId())));
        return carts;
    }

    /** Sends a command; fails with {@link StatusReply.ErrorMessage} if the cart refuses it. */
    public CompletionStage<Named> ask(String id, Function<ActorRef<StatusReply<Answer>>, Command> command) {
        return sharding.entityRefFor(ShoppingCart.TYPE, id)
                .<Answer>askWithStatus(command::apply, PATIENCE)
                .thenApply(answer ->
                        new Named(id, answer.cart().items(), answer.cart().orders(), answer.sequenceNumber()));
    }

    /** The carts after this one, in the order of the journal's index of entities. */
    public CompletionStage<List<Named>> list(Optional<String> after, int limit) {
        String prefix = PersistenceId.of(ShoppingCart.TYPE.name(), "").id();
        return journal.currentPersistenceIds(after.map(id -> prefix + id), limit)
                .filter(persistenceId -> persistenceId.startsWith(prefix))
                .map(persistenceId -> persistenceId.substring(prefix.length()))
                .mapAsync(AT_ONCE, id -> ask(id, ShoppingCart.Look::new))
                .runWith(Sink.seq(), system);
    }
}
