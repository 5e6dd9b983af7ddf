package io.varve.chaos.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A connection to a node: a line is answered with a line. */
public final class LineClient implements AutoCloseable {
    private static final int CONNECT_MILLIS = 2000;

    private final Socket socket = new Socket();
    private final BufferedReader answers;

    /** Connects to a node's port. */
    public LineClient(int port) throws IOException {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Sends a line and waits for the answer. After a failure nobody knows what became of it, and the connection is of no use. */
    public String ask(String line, Duration patience) throws IOException {
        socket.setSoTimeout((int) patience.toMillis());
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("The node has closed the connection");
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
