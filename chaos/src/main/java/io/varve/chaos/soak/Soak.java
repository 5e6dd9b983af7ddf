package io.varve.chaos.soak;

import io.varve.chaos.check.BankCheck;
import io.varve.chaos.check.OperationLog;
import io.varve.chaos.check.SettledTables;
import io.varve.chaos.check.StoredAccount;
import io.varve.chaos.cluster.BankCluster;
import io.varve.chaos.cluster.BankDatabase;
import io.varve.chaos.cluster.NodeProcess;
import io.varve.chaos.load.AccountPace;
import io.varve.chaos.load.BankLoad;
import io.varve.chaos.load.Workload;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Many events of many accounts, with retention and four projections, while each node is sampled. */
public final class Soak implements AutoCloseable {
    private static final Duration LONGEST_START = Duration.ofMinutes(3);
    private static final Duration LONGEST_CATCHING_UP = Duration.ofMinutes(5);
    private static final Duration LONGEST_SAMPLE = Duration.ofSeconds(30);
    /** Mostly atomic writes, because each operation finds an account that has to recover first; many clients, because some wait. */
    private static final Workload WORKLOAD = new Workload(48, 0.75, 10);

    private static final int SNAPSHOT_EVERY = 10;
    private static final int KEEP_SNAPSHOTS = 2;
    /** Accounts delete what is twenty events behind, and are left alone until the projections have processed everything. */
    private static final AccountPace.Limits LIMITS =
            new AccountPace.Limits(Duration.ofMillis(1500), 0, Duration.ofSeconds(10));

    private static final Duration SAMPLE_INTERVAL = Duration.ofSeconds(20);
    private static final List<String> NODE_OPTIONS = List.of("-Xmx512m", "-XX:TieredStopAtLevel=4");

    private final Path folder;
    private final int events;
    private final PrintStream out;
    private final BankDatabase database;
    private final BankCluster cluster;
    private final BankLoad load;
    private final List<Sample> samples = new ArrayList<>();
    private final long begin = System.nanoTime();

    /** Starts the database, with its tables in a folder of their own. */
    public Soak(Path folder, Path tables, int events, int accounts, long seed, PrintStream out) {
        this.folder = folder;
        this.events = events;
        this.out = out;
        this.database = new BankDatabase(tables);
        this.cluster = new BankCluster(database.endpoint(), folder, seed, NODE_OPTIONS);
        cluster.set("pekko.persistence.dynamodb.client.local.port", Integer.toString(database.port()));
        cluster.set("chaos.retention.snapshot-every", Integer.toString(SNAPSHOT_EVERY));
        cluster.set("chaos.retention.keep-snapshots", Integer.toString(KEEP_SNAPSHOTS));
        AccountPace pace = new AccountPace(accounts, 0, LIMITS);
        this.load = new BankLoad(WORKLOAD, pace, database, cluster.nodes(), folder, seed);
    }

    /** Runs it, and leaves samples.csv and samples.svg in the folder; returns what was found. */
    public List<String> run() throws InterruptedException, IOException {
        database.createModelTable();
        cluster.start();
        if (!cluster.awaitWhole(LONGEST_START)) {
            throw new IllegalStateException("The nodes did not become a cluster; their logs are in " + folder);
        }
        load.start(() -> load.counts().ofEvents() >= events);
        while (!load.awaitEnd(SAMPLE_INTERVAL)) {
            sample();
        }
        load.finish();
        List<String> findings = new ArrayList<>(check());
        sample();
        findings.addAll(Measure.findings(samples));
        Files.write(folder.resolve("samples.csv"), csv());
        Files.writeString(
                folder.resolve("samples.svg"),
                SoakPlot.svg(
                        "%d events of %d accounts"
                                .formatted(
                                        load.counts().ofEvents(),
                                        load.pace().accounts().size()),
                        samples));
        out.println("Samples are in " + folder.resolve("samples.csv") + " and samples.svg");
        return findings;
    }

    private void sample() throws IOException {
        long seconds = (System.nanoTime() - begin) / 1_000_000_000;
        long stored = load.counts().ofEvents();
        for (NodeProcess node : cluster.nodes()) {
            Sample sample = Sample.of(seconds, stored, node.number(), node.ask("sample", LONGEST_SAMPLE));
            samples.add(sample);
            out.println(sample.csv());
        }
    }

    private List<String> csv() {
        List<String> lines = new ArrayList<>(List.of(Sample.HEADER));
        samples.forEach(sample -> lines.add(sample.csv()));
        return lines;
    }

    private List<String> check() throws InterruptedException, IOException {
        List<StoredAccount> accounts = SettledTables.read(database::client, SAMPLE_INTERVAL, LONGEST_CATCHING_UP);
        BankCheck.Result result = new BankCheck(accounts, OperationLog.read(folder), Map.of()).run();
        out.printf(
                "%d events, %d operations acknowledged, %d events processed by projections%n",
                result.events(), result.acknowledged(), result.processed());
        List<String> findings = new ArrayList<>();
        result.violations().forEach(violation -> findings.add(violation.toString()));
        accounts.forEach(account -> findings.addAll(leftBehind(account)));
        return findings;
    }

    /** Without faults a deletion ends, so that nothing is left of what it has removed. */
    private static List<String> leftBehind(StoredAccount account) {
        List<String> findings = new ArrayList<>();
        long below = account.events().stream()
                .filter(event -> event.number() < account.lowMark())
                .count();
        if (below > 0) {
            findings.add("%s: %d events are left below %d".formatted(account.id(), below, account.lowMark()));
        }
        if (account.snapshots().size() > KEEP_SNAPSHOTS + 1) {
            findings.add("%s: %d snapshots are left"
                    .formatted(account.id(), account.snapshots().size()));
        }
        return findings;
    }

    /** Ends all processes. */
    @Override
    public void close() {
        load.close();
        cluster.close();
        database.close();
    }
}
