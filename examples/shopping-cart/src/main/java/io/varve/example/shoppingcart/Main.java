package io.varve.example.shoppingcart;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.example.shoppingcart.ShoppingCart.Answer;
import io.varve.example.shoppingcart.ShoppingCart.Command;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.layout.TableDefinition;
import io.varve.store.layout.Tables;
import io.varve.store.table.CreateTables;
import io.varve.store.table.TableOptions;
import io.varve.testkit.DynamoDBLocal;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.slf4j.LoggerFactory;

/** The demo: recovers a cart, changes it, queries all events, and ends; run again, it goes on where it stopped. */
public final class Main {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String JOURNAL = "dynamodb-journal";
    private static final String SNAPSHOT_TABLE = "dynamodb-snapshot-store.snapshot-table";

    private final ActorSystem<SpawnProtocol.Command> system;
    private final PrintStream out;
    private final Costs costs;

    private Main(ActorSystem<SpawnProtocol.Command> system, PrintStream out) {
        this.system = system;
        this.out = out;
        this.costs = new Costs(system.settings().config().getString(SNAPSHOT_TABLE));
    }

    /** Runs the demo and ends the JVM: 0 if all went well, 2 for input that cannot be used, 1 for any other failure. */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        LoggerFactory.getILoggerFactory(); // now, not from several threads at once
        try {
            Options options = Options.parse(arguments);
            if (options.help()) {
                out.print(Options.USAGE);
                return 0;
            }
            try (DataFolder data = DataFolder.open(options.data());
                    DynamoDBLocal dynamoDB = DynamoDBLocal.inFolder(data.path())) {
                out.println("A shopping cart on DynamoDB Local; its data is in " + data.path() + ".");
                shop(dynamoDB.endpoint(), out);
            }
            return 0;
        } catch (Options.InvalidException e) {
            err.println("varve demo: " + e.getMessage());
            return 2;
        } catch (CompletionException e) {
            err.println("varve demo: " + e.getCause());
            return 1;
        } catch (IOException | RuntimeException e) {
            err.println("varve demo: " + e);
            return 1;
        }
    }

    private static void shop(URI dynamoDB, PrintStream out) {
        Config config = ConfigFactory.parseMap(Map.of(
                        "pekko.persistence.dynamodb.client.local.enabled", true,
                        "pekko.persistence.dynamodb.client.local.host", dynamoDB.getHost(),
                        "pekko.persistence.dynamodb.client.local.port", dynamoDB.getPort()))
                .withFallback(ConfigFactory.load());
        ActorSystem<SpawnProtocol.Command> system = ActorSystem.create(SpawnProtocol.create(), "shopping-cart", config);
        try {
            Main demo = new Main(system, out);
            demo.createTables();
            demo.goShopping();
        } finally {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().join();
        }
    }

    /** Creates the tables unless they are there. */
    private void createTables() {
        Config config = system.settings().config();
        Config section = config.getConfig(JOURNAL);
        try (DynamoDBClients.Connection connection = DynamoDBClients.get(system)
                .connect(
                        section,
                        JOURNAL,
                        UnaryOperator.identity(),
                        system.classicSystem().dispatcher())) {
            CreateTables tables = new CreateTables(connection.gateway(), PATIENCE);
            for (TableDefinition definition : List.of(
                    Tables.journal(section.getString("journal-table")),
                    Tables.snapshots(config.getString(SNAPSHOT_TABLE)))) {
                CreateTables.CreatedTable table = await(tables.create(definition, TableOptions.DEFAULT));
                out.println(
                        "The table " + table.name() + (table.created() ? " was created." : " is there from before."));
            }
        }
    }

    private void goShopping() {
        look(cart("nobody")); // what a journal does once, when it is first used, shall not count
        DynamoDBClients.get(system).observe(costs);
        ActorRef<Command> cart = cart("demo");
        Answer before = look(cart);
        out.println(
                before.sequenceNumber() == 0
                        ? "The cart is new.  [" + costs.take() + "]"
                        : "Recovered " + before.sequenceNumber() + " events from before. In the cart: " + before.cart()
                                + "; orders: " + before.cart().orders() + ".  [" + costs.take() + "]");
        out.println();
        Answer now = before;
        for (Shopper.Step step : Shopper.next(before.cart())) {
            now = ask(cart, step);
            out.printf("  event %-4d %-24s [%s]%n", now.sequenceNumber(), step.words(), costs.take());
        }
        out.println();
        out.println("In the cart: " + now.cart() + "; orders: " + now.cart().orders() + ".");
        lookAtAllCarts();
        out.println();
        out.println("Run it again: it goes on after event " + now.sequenceNumber() + ".");
    }

    /** What a query finds: the events of all carts, from this run and those before. */
    private void lookAtAllCarts() {
        DynamoDBReadJournal journal = PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
        Statistics found = await(journal.<Event>currentEventsBySlices("ShoppingCart", 0, 1023, NoOffset.getInstance())
                .map(EventEnvelope::getEvent)
                .runFold(Statistics.NONE, Statistics::plus, system));
        out.println();
        out.println("A query of all carts finds " + found.events() + " events.  [" + costs.take() + "]");
        out.println("  put into carts: " + found.added() + "; ordered: " + found.orders() + " times.");
    }

    private ActorRef<Command> cart(String id) {
        return await(AskPattern.ask(
                system,
                (ActorRef<ActorRef<Command>> replyTo) ->
                        new SpawnProtocol.Spawn<>(ShoppingCart.create(id), id, Props.empty(), replyTo),
                PATIENCE,
                system.scheduler()));
    }

    private Answer look(ActorRef<Command> cart) {
        return ask(cart, new Shopper.Step("looked", ShoppingCart.Look::new));
    }

    private Answer ask(ActorRef<Command> cart, Shopper.Step step) {
        return await(AskPattern.askWithStatus(cart, step.command()::apply, PATIENCE, system.scheduler()));
    }

    private static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
