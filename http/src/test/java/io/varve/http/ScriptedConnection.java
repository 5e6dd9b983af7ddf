package io.varve.http;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The server's end of a connection; texts stand for bytes, one for each character. */
final class ScriptedConnection {
    private final List<SeenRequest> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Socket socket;

    ScriptedConnection(Socket socket) {
        this.socket = socket;
    }

    /** The requests that arrived completely. */
    List<SeenRequest> requests() {
        return requests;
    }

    /** Waits until the client has closed the connection (or the script has). */
    boolean awaitEnd() throws InterruptedException {
        return ended.await(10, TimeUnit.SECONDS);
    }

    void serve(Script script) throws InterruptedException {
        try (socket) {
            Input input = new Input(new BufferedInputStream(socket.getInputStream()));
            script.serve(this, input);
            input.toEnd();
        } catch (IOException e) {
            // it is over, which is all that matters here
        } finally {
            ended.countDown();
        }
    }

    void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    void sendByteByByte(String bytes) throws IOException {
        socket.setTcpNoDelay(true);
        for (int at = 0; at < bytes.length(); at++) {
            send(bytes.substring(at, at + 1));
        }
    }

    /** The client reads the end of the connection, and the script goes on until the client has closed it too. */
    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** The client reads a reset instead of an end. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    void close() throws IOException {
        socket.close();
    }

    /** What the server does with a connection; afterwards everything that arrives is ignored until the client closes it. */
    @FunctionalInterface
    interface Script {
        void serve(ScriptedConnection connection, Input input) throws IOException, InterruptedException;

        static Script each(Reply reply) {
            return (connection, input) -> {
                for (Optional<SeenRequest> next = input.request(connection);
                        next.isPresent();
                        next = input.request(connection)) {
                    reply.to(next.get(), connection);
                }
            };
        }

        static Script always(String answer) {
            return each((request, connection) -> connection.send(answer));
        }

        /** Reads one request and does this. */
        static Script once(Reply reply) {
            return (connection, input) -> {
                Optional<SeenRequest> request = input.request(connection);
                if (request.isPresent()) {
                    reply.to(request.get(), connection);
                }
            };
        }

        static Script neverAnswer() {
            return once((request, connection) -> {});
        }
    }

    @FunctionalInterface
    interface Reply {
        void to(SeenRequest request, ScriptedConnection connection) throws IOException, InterruptedException;
    }

    /** What the client sends. */
    static final class Input {
        private final InputStream in;

        Input(InputStream in) {
            this.in = in;
        }

        /** The next request, or empty at the end of the connection. */
        Optional<SeenRequest> request(ScriptedConnection connection) throws IOException {
            int first = in.read();
            if (first < 0) {
                return Optional.empty();
            }
            String head = head((char) first);
            int length = Math.toIntExact(SeenRequest.of(head, "").length());
            byte[] body = in.readNBytes(length);
            if (body.length < length) {
                throw new EOFException();
            }
            SeenRequest request = SeenRequest.of(head, new String(body, StandardCharsets.ISO_8859_1));
            connection.requests.add(request);
            return Optional.of(request);
        }

        /** The head of the next request, whose body stays unread. */
        String head() throws IOException {
            return head((char) in.read());
        }

        private String head(char first) throws IOException {
            StringBuilder head = new StringBuilder().append(first);
            while (head.length() < 4 || !"\r\n\r\n".contentEquals(head.subSequence(head.length() - 4, head.length()))) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException();
                }
                head.append((char) next);
            }
            return head.toString();
        }

        void toEnd() throws IOException {
            in.skipNBytes(Long.MAX_VALUE); // ends with an exception, as connections do
        }
    }
}
