package io.varve.benchmark.driver;

import com.typesafe.config.Config;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** The measured JVM's main class: one command a line, one answer a line; it ends when its standard input does. */
public final class DriverMain {
    private final MeasuredNode.Factory factory;
    private @Nullable MeasuredNode node;

    private DriverMain(MeasuredNode.Factory factory) {
        this.factory = factory;
    }

    /** Answers commands to persistent actors. */
    public static void main(String[] arguments) throws InterruptedException {
        serve(ActorNode::open);
    }

    /** Answers commands until the input ends. */
    public static void serve(MeasuredNode.Factory factory) throws InterruptedException {
        PrintStream answers = System.out;
        System.setOut(System.err); // whatever a library prints is no answer
        BlockingQueue<String> commands = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(commands), "commands");
        reader.setDaemon(true);
        reader.start();
        DriverMain main = new DriverMain(factory);
        while (true) {
            answers.println(DriverLine.of(main.answer(DriverLine.parse(commands.take()))));
            answers.flush();
        }
    }

    /** Ends this JVM with the input, also in the middle of a command: the parent is gone or needs no more. */
    private static void read(BlockingQueue<String> commands) {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                commands.add(line);
            }
        } catch (IOException e) {
            System.err.println("The commands can no longer be read: " + e);
        }
        System.exit(0); // with its hooks, so that a flight recording is written
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
        MeasuredNode open = node;
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
