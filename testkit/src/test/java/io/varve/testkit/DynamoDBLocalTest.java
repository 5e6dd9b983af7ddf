package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.testkit.internal.engine.DynamoDBEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The life of the child process. */
final class DynamoDBLocalTest {

    @Test
    void inFolder_whenKilledAndStartedAgain_keepsTablesAndItems(@TempDir Path folder) {
        try (DynamoDBLocal local = DynamoDBLocal.inFolder(folder.resolve("new"));
                DynamoDbAsyncClient client = local.client()) {
            Tables.create(client, "kept");
            client.putItem(Tables.put("kept", "a", 1)).join();
            local.kill();
        }

        try (DynamoDBLocal local = DynamoDBLocal.inFolder(folder.resolve("new"));
                DynamoDbAsyncClient client = local.client()) {
            assertThat(client.getItem(request -> request.tableName("kept").key(Tables.key("a", 1)))
                            .join()
                            .item())
                    .isEqualTo(Tables.key("a", 1));
        }
    }

    @Test
    void pause_requestsWaitUntilResume() {
        try (DynamoDBLocal local = DynamoDBLocal.inMemory();
                DynamoDbAsyncClient client = local.client()) {
            client.listTables().join();
            local.pause();
            var listing = client.listTables();

            assertThatThrownBy(() -> client.listTables(request -> request.overrideConfiguration(
                                    options -> options.apiCallTimeout(Duration.ofMillis(300))))
                            .join())
                    .hasMessageContaining("timeout");
            assertThat(listing).isNotDone();
            assertThat(local.isRunning()).isTrue();
            local.resume();

            assertThat(listing.join().tableNames()).isEmpty();
        }
    }

    @Test
    void close_whilePaused_endsTheProcess() {
        DynamoDBLocal local = DynamoDBLocal.inMemory();
        local.pause();

        local.close();

        assertThat(local.isRunning()).isFalse();
    }

    /** On Linux all of 127.0.0.0/8 is this machine, so that a server for all addresses would answer at 127.0.0.2. */
    @Test
    void server_listensOnLoopbackOnly() throws Exception {
        List<InetAddress> others = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .collect(Collectors.toCollection(ArrayList::new));
        others.add(InetAddress.getByAddress(new byte[] {127, 0, 0, 2}));
        int port = DynamoDBLocal.shared().endpoint().getPort();

        try (Socket reached = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)) {
            assertThat(reached.isConnected()).isTrue();
        }
        for (InetAddress other : others) {
            assertThatThrownBy(() -> {
                        try (Socket socket = new Socket()) {
                            socket.connect(new InetSocketAddress(other, port), 5_000);
                        }
                    })
                    .as("%s", other)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void shared_calledTwice_isTheSame() {
        assertThat(DynamoDBLocal.shared()).isSameAs(DynamoDBLocal.shared());
    }

    @Test
    void parent_whenKilled_childEnds() throws Exception {
        Process parent = startParent("run");
        ProcessHandle child = childOf(parent);
        assertThat(child.isAlive()).isTrue();

        parent.destroyForcibly();

        assertThat(child.onExit().get(30, TimeUnit.SECONDS).isAlive()).isFalse();
    }

    @Test
    void parent_whenTerminatedWhileTheChildIsPaused_childEnds() throws Exception {
        Process parent = startParent("pause");
        ProcessHandle child = childOf(parent);
        try {
            parent.destroy();

            assertThat(child.onExit().get(30, TimeUnit.SECONDS).isAlive()).isFalse();
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void endedByCaller_canBeUsedByTheCallersShutdownHook() throws Exception {
        Process parent = startParent("use-at-the-end");
        ProcessHandle child = childOf(parent);
        parent.toHandle().destroy(); // leaves its output open

        assertThat(parent.inputReader(StandardCharsets.UTF_8).lines()).contains("used at the end");
        assertThat(child.onExit().get(30, TimeUnit.SECONDS).isAlive()).isFalse();
    }

    @Test
    void start_whenNoPortComesInTime_endsTheChildAndShowsItsOutput() {
        List<String> silent = List.of("sh", "-c", "echo pid=$$; exec sleep 600");

        assertThatThrownBy(() -> DynamoDBLocal.start(DynamoDBEngine.LOCAL, silent, Duration.ofSeconds(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("DynamoDB Local did not start within 2 seconds. It printed:")
                .satisfies(failure -> assertThat(childIn(String.valueOf(failure.getMessage())))
                        .satisfiesAnyOf(
                                child -> assertThat(child).isEmpty(),
                                child -> assertThat(child.orElseThrow().onExit())
                                        .succeedsWithin(Duration.ofSeconds(30))));
    }

    @Test
    void start_whenTheChildEnds_showsItsOutput() {
        assertThatThrownBy(() -> DynamoDBLocal.start(
                        DynamoDBEngine.LOCAL, List.of("sh", "-c", "echo no memory; exit 3"), Duration.ofSeconds(30)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("did not start (exit code 3). It printed:")
                .hasMessageEndingWith("no memory");
    }

    private static Optional<ProcessHandle> childIn(String message) {
        return ProcessHandle.of(Long.parseLong(message.substring(message.indexOf("pid=") + "pid=".length())));
    }

    private static Process startParent(String what) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-DlocalRepository=" + System.getProperty("localRepository", ""),
                        "-Dmaven.repo.local=" + System.getProperty("maven.repo.local", ""),
                        Parent.class.getName(),
                        what)
                .redirectErrorStream(true)
                .start();
    }

    private static ProcessHandle childOf(Process parent) throws IOException {
        BufferedReader output = parent.inputReader(StandardCharsets.UTF_8);
        StringBuilder printed = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("child=")) {
                return ProcessHandle.of(Long.parseLong(line.substring("child=".length())))
                        .orElseThrow();
            }
            printed.append(line).append('\n');
        }
        throw new AssertionError("The parent printed no child: " + printed);
    }

    /** A JVM that starts DynamoDB Local and waits to be killed. */
    static final class Parent {

        private Parent() {}

        public static void main(String[] arguments) throws InterruptedException {
            DynamoDBLocal local = DynamoDBLocal.inMemory();
            if (arguments[0].equals("pause")) {
                local.pause();
            }
            if (arguments[0].equals("use-at-the-end")) {
                local.endedByCaller();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> useAndEnd(local)));
            }
            System.out.println("child=" + local.process().pid());
            Thread.currentThread().join();
        }

        private static void useAndEnd(DynamoDBLocal local) {
            try (DynamoDbAsyncClient client = local.client()) {
                Tables.create(client, "late");
                System.out.println("used at the end");
            }
            local.close();
        }
    }
}
