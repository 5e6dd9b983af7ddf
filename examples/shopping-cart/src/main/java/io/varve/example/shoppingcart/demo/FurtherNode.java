package io.varve.example.shoppingcart.demo;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;

/** The main class of a further node: joins the cluster, says where it listens, and ends when its input does. */
public final class FurtherNode {
    private FurtherNode() {}

    /** Runs the node; its settings are in system properties. */
    public static void main(String[] arguments) throws IOException {
        try (Node node = Node.start(ConfigFactory.load())) {
            System.out.println(node.listen(0).toCompletableFuture().join());
            while (System.in.read() >= 0) {
                // nothing is ever sent: only the end matters
            }
        }
        System.exit(0);
    }
}
