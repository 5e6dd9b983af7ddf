package io.varve.example.shoppingcart.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as its own processes: three nodes under load, and how it ends. */
class ProcessesTest {
    private static final Pattern ADDRESS = Pattern.compile("(?:open|node): +(http://\\S+)");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final List<ProcessHandle> all = new ArrayList<>();

    /** A demo that can be used. */
    private record Running(Process process, List<URI> addresses) {}

    private Running start(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "-DlocalRepository=" + System.getProperty("localRepository", ""),
                "-Dmaven.repo.local=" + System.getProperty("maven.repo.local", ""),
                Main.class.getName(),
                "--data",
                folder.resolve("data").toString(),
                "--port",
                "0"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve("errors").toFile())
                .start();
        all.add(process.toHandle());
        List<URI> addresses = new ArrayList<>();
        BufferedReader output = process.inputReader();
        for (String line = output.readLine(); !"Ctrl-C ends it.".equals(line); line = output.readLine()) {
            assertThat(line).as(Files.readString(folder.resolve("errors"))).isNotNull();
            Matcher address = ADDRESS.matcher(line);
            if (address.find()) {
                addresses.add(URI.create(address.group(1)));
            }
        }
        all.addAll(process.descendants().toList());
        return new Running(process, addresses);
    }

    @AfterEach
    void endAll() {
        all.forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void threeNodes_areOneCluster_andEndInOrder() throws Exception {
        Running demo = start("--nodes", "3", "--load", "20");
        assertThat(demo.addresses()).hasSize(3);
        assertThat(all).as("three nodes and DynamoDB Local").hasSize(4);
        Api second = new Api(demo.addresses().get(1));
        Api third = new Api(demo.addresses().get(2));

        second.add("shared", "apple", 2);
        assertThat(third.add("shared", "apple", 1)
                        .body()
                        .path("items")
                        .path("apple")
                        .asInt())
                .isEqualTo(3);
        await().atMost(PATIENCE).until(() -> second.get("popular").body().size() > 5);
        Api.Answer paused = third.post("projections/order-mails/pause");
        assertThat(paused.status()).as(paused.error()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> second.waiting("order-mails") > 0);
        Api.Answer resumed = second.post("projections/order-mails/resume");
        assertThat(resumed.status()).as(resumed.error()).isEqualTo(200);

        demo.process().toHandle().destroy();
        assertThat(demo.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(demo.process().exitValue()).isEqualTo(128 + 15);
        assertThat(all).noneMatch(ProcessHandle::isAlive);

        Running again = start();
        assertThat(new Api(again.addresses().get(0))
                        .get("carts/shared")
                        .body()
                        .path("events")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void killedDemo_leavesNothingBehind() throws Exception {
        Running demo = start("--nodes", "2");
        assertThat(all).hasSize(3);
        demo.process().destroyForcibly();
        await().atMost(PATIENCE).until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
    }
}
