package io.varve.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What the nodes can know of an entity: which writes are under way there, and up to which numbers recoveries have come there. */
final class NodeKnowledge {
    /** Of one node. */
    private static final class OfNode {
        private final TreeMap<Long, Integer> found = new TreeMap<>();
        private int writesUnderWay;
        private int writesBegun;
    }

    private final Map<Node, OfNode> nodes = new HashMap<>();
    private int moments;

    private OfNode of(Node node) {
        return nodes.computeIfAbsent(node, none -> new OfNode());
    }

    void writes(Node node) {
        of(node).writesUnderWay++;
        of(node).writesBegun++;
    }

    void hasWritten(Node node) {
        of(node).writesUnderWay--;
    }

    /** A recovery, from its beginning on. */
    final class OfRecovery {
        private final OfNode node;
        private final boolean writesUnderWay;
        private final int writesBegun;
        private final int begun = moments++;

        private OfRecovery(OfNode node) {
            this.node = node;
            this.writesUnderWay = node.writesUnderWay > 0;
            this.writesBegun = node.writesBegun;
        }

        /**
         * It has found the highest number. True if others may have brought the node to know it since it began: then what it has
         * read itself may end before it.
         */
        boolean findsWhatOthersFound(long highest) {
            boolean foundByOthers =
                    node.found.tailMap(highest).values().stream().anyMatch(moment -> moment > begun);
            node.found.putIfAbsent(highest, moments++);
            return foundByOthers || writesUnderWay || node.writesBegun > writesBegun;
        }
    }

    OfRecovery recovers(Node node) {
        return new OfRecovery(of(node));
    }
}
