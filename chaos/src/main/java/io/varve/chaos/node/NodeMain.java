package io.varve.chaos.node;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import org.slf4j.LoggerFactory;

/** The main class of a node: joins the cluster, says where it listens, and ends at once when its standard input does. */
public final class NodeMain {
    private NodeMain() {}

    /** Runs the node; its settings are in system properties. */
    public static void main(String[] arguments) {
        LoggerFactory.getILoggerFactory(); // now, not from several threads at once
        Thread parent = new Thread(NodeMain::endWithParent, "chaos-parent");
        parent.setDaemon(true);
        parent.start();
        BankNode node = new BankNode(ConfigFactory.load());
        System.out.println("ready " + LineServer.start(node::answer));
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // nothing is ever sent: only the end matters
            }
        } catch (IOException e) {
            // as good as the end
        }
        Runtime.getRuntime().halt(1);
    }
}
