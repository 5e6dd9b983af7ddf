package io.varve.http;

import io.varve.http.ScriptedConnection.Script;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/** A server at a random local port whose scripts say what to do with each byte; a thread for each connection. */
final class ScriptedServer implements AutoCloseable {
    private final List<ScriptedConnection> connections = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "scripted-server");
        thread.setDaemon(true);
        return thread;
    });
    private final CountDownLatch deaf = new CountDownLatch(1);
    private final String scheme;
    private final ServerSocket socket;
    private final List<Script> scripts;

    private ScriptedServer(String scheme, ServerSocketFactory sockets, List<Script> scripts) throws IOException {
        this.scheme = scheme;
        this.socket = sockets.createServerSocket(0, 0, InetAddress.getByName("localhost"));
        this.scripts = scripts;
    }

    /** The first connection gets the first script, and so on; the last script serves all further ones. */
    static ScriptedServer start(Script... scripts) {
        return start("http", ServerSocketFactory.getDefault(), List.of(scripts));
    }

    static ScriptedServer startTls(SSLContext context, Script... scripts) {
        return start("https", context.getServerSocketFactory(), List.of(scripts));
    }

    private static ScriptedServer start(String scheme, ServerSocketFactory sockets, List<Script> scripts) {
        try {
            ScriptedServer server = new ScriptedServer(scheme, sockets, scripts);
            server.threads.submit(server::accept);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket accepted = socket.accept();
                ScriptedConnection connection = new ScriptedConnection(accepted);
                Script script = scripts.get(Math.min(connections.size(), scripts.size() - 1));
                connections.add(connection);
                if (socket.isClosed()) { // by now: nobody else closes this one
                    accepted.close();
                }
                threads.submit(() -> {
                    connection.serve(script);
                    return connection;
                });
            }
        } catch (IOException e) {
            threads.shutdown(); // closed
            deaf.countDown();
        }
    }

    URI address() {
        return URI.create(scheme + "://localhost:" + socket.getLocalPort());
    }

    /** Takes no further connections. */
    void refuse() throws IOException, InterruptedException {
        socket.close();
        deaf.await();
    }

    /** A connection by its number, which may still have to be accepted. */
    ScriptedConnection connection(int number) {
        Eventually.until(() -> connections.size() > number);
        return connections.get(number);
    }

    /** All connections since the start, the closed ones too. */
    List<ScriptedConnection> connections() {
        return connections;
    }

    /** The requests that arrived, on all connections. */
    List<SeenRequest> requests() {
        return connections.stream()
                .flatMap(connection -> connection.requests().stream())
                .toList();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (ScriptedConnection connection : connections) {
            connection.close();
        }
        threads.shutdownNow();
    }
}
