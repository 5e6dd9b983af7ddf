package io.varve.benchmark.driver;

import com.typesafe.config.Config;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The measured JVM's main class: one command a line, one answer a line; it ends when its standard input does. */
public final class DriverMain {
    private final Node.Factory factory;
    private @Nullable Node node;

    private DriverMain(Node.Factory factory) {
        this.factory = factory;
    }

    /** Answers commands to persistent actors. */
    public static void main(String[] arguments) throws IOException {
        serve(ActorNode::open);
    }

    /** Answers commands until there are no more. */
    public static void serve(Node.Factory factory) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err); // whatever a library prints is no answer
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        DriverMain main = new DriverMain(factory);
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            answers.println(Line.of(main.answer(Line.parse(line))));
            answers.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    private Map<String, ?> answer(Config line) {
        try {
            return run(line.getString("command"), line);
        } catch (Exception e) {
            e.printStackTrace();
            return Map.of("failure", e.toString());
        }
    }

    private Map<String, ?> run(String command, Config arguments) throws Exception {
        Node open = node;
        if (command.equals("open")) {
            node = factory.open(arguments.getString("config"));
            return Map.of();
        }
        if (open == null) {
            throw new IllegalStateException("No node is open");
        }
        if (command.equals("close")) {
            node = null;
            open.close();
            return Map.of();
        }
        return open.run(command, arguments);
    }
}
