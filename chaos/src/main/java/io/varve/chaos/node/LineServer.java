package io.varve.chaos.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Answers each line with a line, one after another on each connection. */
final class LineServer {
    private static final int BACKLOG = 50;

    private final ServerSocket server;
    private final Function<String, CompletionStage<String>> answers;

    private LineServer(ServerSocket server, Function<String, CompletionStage<String>> answers) {
        this.server = server;
        this.answers = answers;
    }

    /** Listens on a free port of the loopback interface until this JVM ends. */
    static int start(Function<String, CompletionStage<String>> answers) {
        try {
            LineServer server = new LineServer(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()), answers);
            daemon(server::accept);
            return server.server.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Socket socket) {
        try (socket;
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            OutputStream out = socket.getOutputStream();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String answer = answers.apply(line)
                        .handle((text, failure) -> failure == null ? text : "unknown " + failure)
                        .toCompletableFuture()
                        .join();
                out.write((answer.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // the client has gone, and knows that it has no answer
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "chaos-lines");
        thread.setDaemon(true);
        thread.start();
    }
}
