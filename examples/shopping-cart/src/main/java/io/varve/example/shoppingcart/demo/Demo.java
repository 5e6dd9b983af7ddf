package io.varve.example.shoppingcart.demo;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;

/** All that runs while the demo does. It is ended in the reverse order of its start. */
final class Demo implements AutoCloseable {
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final List<URI> addresses = new ArrayList<>();
    private final DemoOptions options;
    private final Config config;
    private final PrintStream out;
    private volatile boolean ending;
    private CompletionStage<Done> ended = new CompletableFuture<>();

    private Demo(DemoOptions options, Config config, PrintStream out) {
        this.options = options;
        this.config = config;
        this.out = out;
    }

    /** Starts everything; returns when the service can be used. */
    static Demo start(DemoOptions options, Config config, PrintStream out) throws Exception {
        Demo demo = new Demo(options, config, out);
        try {
            demo.start();
            return demo;
        } catch (Exception e) {
            demo.close();
            throw e;
        }
    }

    private void start() {
        DataFolder data = keep(DataFolder.open(options.data()));
        out.println("Starting " + options.nodes() + (options.nodes() == 1 ? " node" : " nodes") + " ...");
        Database database = keep(Database.open(config, data.path()));
        Map<String, Object> settings = new HashMap<>(database.settings());
        settings.put(
                "shopping-cart.order-mails-file",
                data.path()
                        .toAbsolutePath()
                        .resolve(config.getString("shopping-cart.order-mails-file"))
                        .toString());

        ShopNode first = keep(ShopNode.start(ConfigFactory.parseMap(settings).withFallback(config)));
        ended = first.ended();
        addresses.add(listen(first));
        settings.put("pekko.cluster.seed-nodes.0", first.clusterAddress());
        addresses.addAll(keep(FurtherNodes.start(options.nodes() - 1, settings)).addresses());
        if (options.load() > 0) {
            first.load(options.load());
        }
        out.println("The tables are in " + database.description() + ", all else is in the folder " + data.path() + ".");
    }

    private <T extends AutoCloseable> T keep(T part) {
        running.push(part);
        return part;
    }

    private URI listen(ShopNode node) {
        int wanted = options.port().orElse(config.getInt("shopping-cart.http.port"));
        try {
            return node.listen(wanted).toCompletableFuture().join();
        } catch (CompletionException e) {
            if (options.port().isPresent()) {
                throw new DemoOptions.InvalidException("--port " + wanted
                        + " cannot be used: choose another one, or 0 for any (" + e.getCause() + ")");
            }
            out.println("Port " + wanted + " cannot be used, so another one is; --port chooses it.");
            return node.listen(0).toCompletableFuture().join();
        }
    }

    /** Where the nodes listen, the first one first. */
    List<URI> addresses() {
        return addresses;
    }

    /** Completes when the first node has ended. */
    CompletionStage<Done> ended() {
        return ended;
    }

    /** Whether it was told to end. */
    boolean isEnding() {
        return ending;
    }

    /** Ends everything in order, also if a part fails to; what is stored stays. */
    @Override
    public void close() throws Exception {
        ending = true;
        closeLast();
    }

    private synchronized void closeLast() throws Exception {
        if (!running.isEmpty()) {
            try {
                running.pop().close();
            } finally {
                closeLast();
            }
        }
    }
}
