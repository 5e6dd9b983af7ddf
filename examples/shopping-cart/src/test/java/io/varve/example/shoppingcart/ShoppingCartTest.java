package io.varve.example.shoppingcart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.varve.example.shoppingcart.ShoppingCart.AddItem;
import io.varve.example.shoppingcart.ShoppingCart.Answer;
import io.varve.example.shoppingcart.ShoppingCart.CheckOut;
import io.varve.example.shoppingcart.ShoppingCart.Command;
import io.varve.example.shoppingcart.ShoppingCart.Look;
import io.varve.example.shoppingcart.ShoppingCart.RemoveItem;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.pattern.StatusReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The entity on Pekko's journal in memory, which serializes events as a real one would. */
class ShoppingCartTest {
    private final ActorSystem<Command> cart = ActorSystem.create(
            ShoppingCart.create("test"), "test", ConfigFactory.parseString("""
                            pekko.actor.provider = local
                            pekko.persistence.journal.plugin = "pekko.persistence.journal.inmem"
                            pekko.persistence.journal.inmem.test-serialization = on
                            pekko.persistence.snapshot-store.plugin = "pekko.persistence.no-snapshot-store"
                            """).withFallback(ConfigFactory.load()));

    @AfterEach
    void end() {
        cart.terminate();
        cart.getWhenTerminated().toCompletableFuture().join();
    }

    private Answer ask(Function<ActorRef<StatusReply<Answer>>, Command> command) {
        return AskPattern.askWithStatus(cart, command::apply, Duration.ofSeconds(20), cart.scheduler())
                .toCompletableFuture()
                .join();
    }

    private static Answer answer(Map<String, Integer> items, int orders, long sequenceNumber) {
        return new Answer(new Cart(new TreeMap<>(items), orders), sequenceNumber);
    }

    @Test
    void commands_changeTheCartAndAreNumbered() {
        assertThat(ask(Look::new)).isEqualTo(answer(Map.of(), 0, 0));
        assertThat(ask(to -> new AddItem("apple", 2, to))).isEqualTo(answer(Map.of("apple", 2), 0, 1));
        assertThat(ask(to -> new AddItem("bread", 1, to))).isEqualTo(answer(Map.of("apple", 2, "bread", 1), 0, 2));
        assertThat(ask(to -> new RemoveItem("bread", 1, to))).isEqualTo(answer(Map.of("apple", 2), 0, 3));
        assertThat(ask(CheckOut::new)).isEqualTo(answer(Map.of(), 1, 4));
    }

    @Test
    void commandsThatMakeNoSense_storeNothing() {
        assertThatThrownBy(() -> ask(CheckOut::new)).hasMessageContaining("The cart is empty");
        assertThatThrownBy(() -> ask(to -> new AddItem("apple", 0, to))).hasMessageContaining("at least 1, not 0");
        assertThatThrownBy(() -> ask(to -> new RemoveItem("apple", 1, to))).hasMessageContaining("There are 0 apple");
        assertThat(ask(Look::new)).isEqualTo(answer(Map.of(), 0, 0));
    }
}
