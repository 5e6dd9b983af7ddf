package io.varve.chaos.load;

import io.varve.chaos.cluster.LineClient;
import io.varve.chaos.cluster.NodeProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Makes one operation after another, over any node, and repeats what it does not know the end of. */
final class LoadClient {
    private static final Duration PATIENCE = Duration.ofSeconds(7);
    private static final long TURN_MILLIS = 10;
    private static final long PREFIX_LENGTH = "account|".length();

    private final int number;
    private final Workload workload;
    private final AccountPace pace;
    private final List<NodeProcess> nodes;
    private final Random random;
    private final ClientLog log;
    private final LoadCounts counts;
    private final Map<Integer, LineClient> connections = new HashMap<>();
    private int made;

    /** How an operation has ended. */
    private enum Outcome {
        STORED,
        REFUSED,
        GIVEN_UP
    }

    LoadClient(
            int number,
            Workload workload,
            AccountPace pace,
            List<NodeProcess> nodes,
            long seed,
            ClientLog log,
            LoadCounts counts) {
        this.number = number;
        this.workload = workload;
        this.pace = pace;
        this.nodes = nodes;
        this.random = new Random(seed * 31 + number);
        this.log = log;
        this.counts = counts;
    }

    /** Opens accounts with some money. */
    void open(List<String> accounts, BooleanSupplier givesUp) throws InterruptedException {
        for (String account : accounts) {
            perform("o" + account.substring((int) PREFIX_LENGTH), account, List.of(1000L), givesUp);
        }
    }

    /** Makes operations until it is to stop; those that are not complete then are repeated until it gives up. */
    void run(BooleanSupplier stops, BooleanSupplier givesUp) throws InterruptedException {
        while (!stops.getAsBoolean()) {
            Optional<String> account = pace.draw(random);
            Optional<String> other = pace.draw(random);
            if (account.isPresent() && other.isPresent()) {
                operation(account.get(), other.get(), givesUp);
            } else {
                Thread.sleep(TURN_MILLIS);
            }
        }
    }

    private void operation(String account, String other, BooleanSupplier givesUp) throws InterruptedException {
        String name = "c" + number + "-" + ++made;
        long amount = 1L + random.nextInt(50);
        if (random.nextDouble() < workload.atomicShare()) {
            perform(name + "b", account, workload.atomicAmounts(amount), givesUp);
        } else if (perform(name + "w", account, List.of(-amount), givesUp) == Outcome.STORED) {
            perform(name + "d", other, List.of(amount), givesUp);
        }
    }

    private Outcome perform(String operation, String account, List<Long> amounts, BooleanSupplier givesUp)
            throws InterruptedException {
        while (!givesUp.getAsBoolean()) {
            NodeProcess node = nodes.get(random.nextInt(nodes.size()));
            if (connect(node) && pace.begin(account, operation, amounts.size())) {
                Outcome outcome = attempt(node.number(), operation, account, amounts);
                if (outcome != Outcome.GIVEN_UP) {
                    return outcome;
                }
            } else {
                Thread.sleep(TURN_MILLIS);
            }
        }
        return Outcome.GIVEN_UP;
    }

    private boolean connect(NodeProcess node) {
        if (connections.containsKey(node.number())) {
            return true;
        }
        OptionalInt port = node.clientPort();
        if (port.isEmpty()) {
            return false;
        }
        try {
            connections.put(node.number(), new LineClient(port.getAsInt()));
            return true;
        } catch (IOException e) {
            return false; // nothing was asked yet
        }
    }

    /** An operation that is tried again is stored once at most. */
    private Outcome attempt(int node, String operation, String account, List<Long> amounts) {
        String text = amounts.stream().map(Object::toString).collect(Collectors.joining(","));
        log.write("INVOKE", operation, account, text, "node " + node);
        String answer = ask(node, "do %s %s %s".formatted(operation, account.substring((int) PREFIX_LENGTH), text));
        if (answer.startsWith("ok ")) {
            long first = Long.parseLong(answer.substring("ok ".length()));
            log.write("OK", operation, Long.toString(first));
            pace.acknowledged(account, operation, node, first, amounts);
            counts.acknowledged(amounts.size());
            return Outcome.STORED;
        }
        if (answer.startsWith("refused ")) {
            log.write("REFUSED", operation, answer);
            pace.refused(account, operation);
            counts.refused();
            return Outcome.REFUSED;
        }
        log.write("UNKNOWN", operation, answer);
        pace.unknown(account, operation, amounts.size());
        counts.unknown();
        return Outcome.GIVEN_UP;
    }

    private String ask(int node, String line) {
        LineClient connection = connections.get(node);
        if (connection == null) {
            throw new IllegalStateException("There is no connection to node " + node);
        }
        try {
            return connection.ask(line, PATIENCE);
        } catch (IOException e) {
            connections.remove(node);
            close(connection);
            return "unknown " + e;
        }
    }

    void close() {
        connections.values().forEach(LoadClient::close);
        log.close();
    }

    private static void close(LineClient connection) {
        try {
            connection.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
