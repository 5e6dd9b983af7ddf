package io.varve.example.shoppingcart;

import io.varve.example.shoppingcart.ShoppingCart.AddItem;
import io.varve.example.shoppingcart.ShoppingCart.Answer;
import io.varve.example.shoppingcart.ShoppingCart.CheckOut;
import io.varve.example.shoppingcart.ShoppingCart.Command;
import io.varve.example.shoppingcart.ShoppingCart.RemoveItem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.pattern.StatusReply;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes traffic: sends a number of commands a second to some carts, for as long as the node runs. */
public final class Shopper {
    private static final Logger LOG = LoggerFactory.getLogger(Shopper.class);
    private static final List<String> ITEMS =
            List.of("apple", "bread", "cheese", "coffee", "honey", "milk", "pear", "tea");
    private static final List<String> CARTS = List.of(
            "anna", "boris", "carla", "david", "elena", "felix", "greta", "hugo", "ines", "jonas", "klara", "lukas");
    private static final int AT_ONCE = 64;

    private final RandomGenerator random = RandomGenerator.getDefault();
    private final Carts carts;

    private Shopper(Carts carts) {
        this.carts = carts;
    }

    /** Starts the traffic, which ends before anything else does. */
    public static void start(ActorSystem<?> system, Carts carts, int commandsPerSecond) {
        Shopper shopper = new Shopper(carts);
        Pair<UniqueKillSwitch, CompletionStage<Done>> traffic = Source.repeat(Done.getInstance())
                .throttle(commandsPerSecond, Duration.ofSeconds(1))
                .viaMat(KillSwitches.single(), Keep.right())
                .mapAsyncUnordered(AT_ONCE, next -> shopper.act())
                .toMat(Sink.ignore(), Keep.both())
                .run(system);
        CoordinatedShutdown.get(system).addTask(CoordinatedShutdown.PhaseBeforeServiceUnbind(), "end-traffic", () -> {
            traffic.first().shutdown();
            return traffic.second();
        });
    }

    private CompletionStage<Done> act() {
        return carts.ask(oneOf(CARTS), command())
                .thenApply(answer -> Done.getInstance())
                .exceptionallyCompose(Shopper::goOn);
    }

    private Function<ActorRef<StatusReply<Answer>>, Command> command() {
        String item = oneOf(ITEMS);
        int quantity = 1 + random.nextInt(3);
        return switch (random.nextInt(10)) {
            case 0 -> CheckOut::new;
            case 1, 2 -> replyTo -> new RemoveItem(item, 1, replyTo);
            default -> replyTo -> new AddItem(item, quantity, replyTo);
        };
    }

    private String oneOf(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    /** A refusal, such as taking out what is not there, is part of the traffic; anything else is worth a line in the log. */
    private static CompletionStage<Done> goOn(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        if (!(cause instanceof StatusReply.ErrorMessage)) {
            LOG.warn("A command got no answer: {}", String.valueOf(cause));
        }
        return CompletableFuture.completedFuture(Done.getInstance());
    }
}
