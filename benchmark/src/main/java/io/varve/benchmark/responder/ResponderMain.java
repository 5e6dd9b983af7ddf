package io.varve.benchmark.responder;

import java.io.IOException;
import java.time.Duration;

/** The responder's process: prints its endpoint and ends when its standard input does. */
public final class ResponderMain {
    private ResponderMain() {}

    /** The argument is the latency in milliseconds. */
    public static void main(String[] arguments) throws IOException {
        try (Responder responder = new Responder(Duration.ofMillis(Long.parseLong(arguments[0])))) {
            System.out.println(responder.endpoint());
            System.out.flush();
            while (System.in.read() >= 0) {
                // nothing is said to the responder but that it should end
            }
        }
    }
}
