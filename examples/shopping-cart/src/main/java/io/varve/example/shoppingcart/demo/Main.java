package io.varve.example.shoppingcart.demo;

import com.typesafe.config.ConfigFactory;
import java.io.PrintStream;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.slf4j.LoggerFactory;

/** The command {@code ./varve demo}: starts the service and runs it until it is told to end. */
public final class Main {
    private Main() {}

    /** Runs the demo and ends the JVM: 2 for input that cannot be used, 1 for any other failure, 143 when told to end. */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        LoggerFactory.getILoggerFactory(); // now, not from several threads at once
        try {
            DemoOptions options = DemoOptions.parse(arguments);
            if (options.help()) {
                out.print(DemoOptions.USAGE);
                return 0;
            }
            try (Demo demo = Demo.start(options, ConfigFactory.load(), out)) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(demo, out, err), "demo-end"));
                welcome(demo.addresses(), out);
                demo.ended().toCompletableFuture().join();
                if (demo.isEnding()) {
                    return 0;
                }
            }
            err.println("varve demo: the first node has ended by itself; what it logged says why");
            return 1;
        } catch (DemoOptions.InvalidException e) {
            err.println("varve demo: " + e.getMessage());
            return 2;
        } catch (CompletionException e) {
            err.println("varve demo: " + e.getCause());
            return 1;
        } catch (Exception e) {
            err.println("varve demo: " + e);
            return 1;
        }
    }

    private static void end(Demo demo, PrintStream out, PrintStream err) {
        out.println();
        out.println("Ending ...");
        try {
            demo.close();
            out.println("Ended. Run it again: everything is still there.");
        } catch (Exception e) {
            err.println("varve demo: it did not end in order: " + e);
        }
    }

    private static void welcome(List<URI> addresses, PrintStream out) {
        URI first = addresses.get(0);
        out.println();
        out.println("The shopping cart is open: " + first);
        addresses.stream().skip(1).forEach(address -> out.println("  and on a further node:    " + address));
        out.println();
        out.println("Look at the page, and try:");
        out.println("  curl -H 'Content-Type: application/json' -d '{\"item\": \"apple\", \"quantity\": 2}' " + first
                + "carts/mine/items");
        out.println("  curl -X POST " + first + "carts/mine/checkout");
        out.println("  curl " + first + "popular");
        out.println();
        out.println("Ctrl-C ends it.");
    }
}
