package io.varve.example.shoppingcart.demo;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;

/**
 * The main class of a further node: joins the cluster and says where it listens. It ends in order when it is told to, and at once
 * when its input ends without a word: then the demo was killed, and DynamoDB Local is gone with it.
 */
public final class FurtherNode {
    private FurtherNode() {}

    /** Runs the node; its settings are in system properties. */
    public static void main(String[] arguments) {
        LoggerFactory.getILoggerFactory(); // now, not from several threads at once
        CompletableFuture<Void> toldToEnd = CompletableFuture.runAsync(FurtherNode::awaitWord);
        try (ShopNode node = ShopNode.start(ConfigFactory.load())) {
            System.out.println(node.listen(0).toCompletableFuture().join());
            toldToEnd.join();
        }
        System.exit(0);
    }

    private static void awaitWord() {
        try {
            if (System.in.read() < 0) {
                Runtime.getRuntime().halt(1);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
