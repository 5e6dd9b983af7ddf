package io.varve.chaos.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a cut, a mended and a broken link do to who is connected. */
class TcpLinkTest {
    private static final int SHORT_MILLIS = 200;

    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final TcpLink link = new TcpLink();

    TcpLinkTest() throws IOException {}

    @BeforeEach
    void lead() {
        link.leadTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        server.close();
    }

    @Test
    void whatIsSentOverACutLink_arrivesWhenItIsMended() throws IOException {
        try (Socket caller = connect();
                Socket called = server.accept()) {
            caller.getOutputStream().write(1);
            assertThat(called.getInputStream().read()).isEqualTo(1);
            link.cut(InetAddress.getLoopbackAddress());
            caller.getOutputStream().write(2);
            called.getOutputStream().write(3);
            called.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> called.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            called.setSoTimeout(0);
            link.mend();
            assertThat(called.getInputStream().read()).isEqualTo(2);
            assertThat(caller.getInputStream().read()).isEqualTo(3);
        }
    }

    @Test
    void callersFromElsewhere_areNotCut() throws IOException {
        link.cut(InetAddress.getByAddress(new byte[] {127, 0, 1, 1}));
        try (Socket caller = connect();
                Socket called = server.accept()) {
            caller.getOutputStream().write(1);
            assertThat(called.getInputStream().read()).isEqualTo(1);
        }
    }

    @Test
    void connectionToNobody_isClosed() throws IOException {
        server.close();
        try (Socket caller = connect()) {
            assertThat(caller.getInputStream().read()).isEqualTo(-1);
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), link.port());
    }
}
