package io.varve.benchmark.responder;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** The responder's process: prints its endpoint and ends when its standard input does. */
public final class ResponderMain {
    private ResponderMain() {}

    /** The arguments are the latency in milliseconds and, for TLS, a key store and its password. */
    public static void main(String[] arguments) throws IOException {
        try (Responder responder = start(arguments)) {
            System.out.println(responder.endpoint());
            System.out.flush();
            while (System.in.read() >= 0) {
                // nothing is said to the responder but that it should end
            }
        }
    }

    private static Responder start(String[] arguments) {
        Duration latency = Duration.ofMillis(Long.parseLong(arguments[0]));
        return arguments.length == 1
                ? new Responder(latency)
                : new Responder(latency, new ServerKeys(Path.of(arguments[1]), arguments[2]));
    }
}
