package io.varve.interop.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The program of the predecessor's JVM: one command a line, one answer a line; it ends when its standard input does. */
public final class PeerMain {

    /** The first field of an answer to a command that went well. */
    public static final String OK = "ok";

    private static final String FAILED = "failed";

    private final Map<String, JournalDriver> nodes = new HashMap<>();

    private PeerMain() {}

    /** Answers commands until there are no more. */
    public static void main(String[] arguments) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err); // whatever a library prints is no answer
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PeerMain main = new PeerMain();
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            answers.println(Line.of(main.answer(Line.parse(line))));
            answers.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    private List<String> answer(List<String> fields) {
        try {
            List<String> answer = new ArrayList<>(List.of(OK));
            answer.addAll(run(Command.valueOf(fields.get(0)), fields.get(1), fields.subList(2, fields.size())));
            return answer;
        } catch (RuntimeException e) {
            return List.of(FAILED, e.toString());
        }
    }

    private List<String> run(Command command, String nodeName, List<String> arguments) {
        if (command == Command.OPEN) {
            nodes.put(nodeName, LocalJournalDriver.open(arguments.get(0)));
            return List.of();
        }
        JournalDriver node = nodes.get(nodeName);
        if (node == null) {
            throw new JournalDriverException("there is no node " + nodeName);
        }
        if (command == Command.CLOSE) {
            nodes.remove(nodeName);
            node.close();
            return List.of();
        }
        return run(command, node, arguments.get(0), arguments.subList(1, arguments.size()));
    }

    private static List<String> run(Command command, JournalDriver node, String persistenceId, List<String> arguments) {
        return switch (command) {
            case RECOVER ->
                fields(node.recoverTo(
                        persistenceId, Long.parseLong(arguments.get(0)), Long.parseLong(arguments.get(1))));
            case PERSIST -> fields(node.persist(persistenceId, arguments.get(0)));
            case PERSIST_ALL -> fields(node.persistAll(persistenceId, arguments));
            case PERSIST_ALL_REJECTED ->
                fields(node.persistAllRejected(
                        persistenceId, arguments.subList(1, arguments.size()), Integer.parseInt(arguments.get(0))));
            case DELETE -> {
                node.delete(persistenceId, Long.parseLong(arguments.get(0)));
                yield List.of();
            }
            case SAVE_SNAPSHOT -> {
                node.saveSnapshot(persistenceId, Long.parseLong(arguments.get(0)), arguments.get(1));
                yield List.of();
            }
            case LOAD_SNAPSHOT ->
                node.loadSnapshot(persistenceId, Long.parseLong(arguments.get(0)), Long.parseLong(arguments.get(1)))
                        .map(PeerMain::fields)
                        .orElse(List.of());
            case DELETE_SNAPSHOT -> {
                node.deleteSnapshot(persistenceId, Long.parseLong(arguments.get(0)));
                yield List.of();
            }
            case DELETE_SNAPSHOTS -> {
                node.deleteSnapshots(persistenceId, Long.parseLong(arguments.get(0)), Long.parseLong(arguments.get(1)));
                yield List.of();
            }
            case STOP -> {
                node.stop(persistenceId);
                yield List.of();
            }
            case OPEN, CLOSE -> throw new IllegalArgumentException(command + " is no command to an actor");
        };
    }

    private static List<String> fields(long sequenceNumber) {
        return List.of(Long.toString(sequenceNumber));
    }

    private static List<String> fields(StoredSnapshot snapshot) {
        return List.of(
                Long.toString(snapshot.sequenceNumber()), Long.toString(snapshot.timestamp()), snapshot.payload());
    }

    private static List<String> fields(Recovered recovered) {
        List<String> fields = new ArrayList<>(List.of(Long.toString(recovered.lastSequenceNumber())));
        for (Recovered.Event event : recovered.events()) {
            fields.add(Long.toString(event.sequenceNumber()));
            fields.add(event.payload());
        }
        return fields;
    }
}
