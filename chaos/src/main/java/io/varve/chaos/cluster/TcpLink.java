package io.varve.chaos.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A port that leads to another one, and can be cut or slowed down. What is sent over a connection that is cut arrives when it is mended:
 * nobody is told, as in a network whose cable is pulled.
 */
final class TcpLink implements AutoCloseable {
    private static final int BACKLOG = 100;
    private static final int CHUNK = 64 * 1024;

    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<InetAddress> cut = ConcurrentHashMap.newKeySet();
    private volatile InetSocketAddress target;
    private volatile Duration delay = Duration.ZERO;
    private volatile boolean closed;

    /** Listens on a free port of the loopback interface; until it has a target it takes no connection. */
    TcpLink() {
        try {
            server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        target = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Where connections lead from now on. */
    void leadTo(InetSocketAddress to) {
        target = to;
    }

    /** Nothing gets through any more from and to those who call from there. */
    void cut(InetAddress source) {
        cut.add(source);
    }

    /** Everything gets through again, also what was held back. */
    synchronized void mend() {
        cut.clear();
        notifyAll();
    }

    /** Lets each piece of data wait. */
    void delay(Duration duration) {
        delay = duration;
    }

    private void accept() {
        while (!closed) {
            try {
                Socket caller = server.accept();
                open.add(caller);
                daemon(() -> connect(caller));
            } catch (IOException e) {
                if (!closed) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void connect(Socket caller) {
        InetAddress source = caller.getInetAddress();
        Socket called = new Socket();
        open.add(called);
        try {
            called.connect(target);
            called.setTcpNoDelay(true);
            caller.setTcpNoDelay(true);
            daemon(() -> pump(called, caller, source));
            pump(caller, called, source);
        } catch (IOException e) {
            end(caller, called); // nobody listens there: the caller sees a connection that is closed
        }
    }

    private void pump(Socket from, Socket to, InetAddress source) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] chunk = new byte[CHUNK];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                awaitPassage(source);
                out.write(chunk, 0, read);
            }
        } catch (IOException e) {
            // one side has gone, so the other one is closed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(from, to);
        }
    }

    private void awaitPassage(InetAddress source) throws InterruptedException {
        if (!delay.isZero()) {
            Thread.sleep(delay.toMillis());
        }
        if (cut.contains(source)) {
            synchronized (this) {
                while (cut.contains(source) && !closed) {
                    wait();
                }
            }
        }
    }

    private void end(Socket... sockets) {
        for (Socket socket : sockets) {
            open.remove(socket);
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        mend();
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        end(open.toArray(new Socket[0]));
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "chaos-link");
        thread.setDaemon(true);
        thread.start();
    }
}
