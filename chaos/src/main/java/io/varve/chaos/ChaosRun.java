package io.varve.chaos;

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
import io.varve.chaos.nemesis.FaultKind;
import io.varve.chaos.nemesis.Nemesis;
import io.varve.chaos.nemesis.Trouble;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One run: a bank, its clients and a nemesis; then the check. */
final class ChaosRun implements AutoCloseable {
    private static final Duration LONGEST_START = Duration.ofMinutes(2);
    private static final Duration READ_INTERVAL = Duration.ofSeconds(2);
    private static final Duration LONGEST_CATCHING_UP = Duration.ofMinutes(5);
    /** Accounts delete what is 60 events behind. */
    private static final AccountPace.Limits LIMITS =
            new AccountPace.Limits(Duration.ofMillis(400), 30, Duration.ofSeconds(2));

    private static final long WATCH_MILLIS = 1000;
    private static final int ACCOUNTS = 24;
    /** One in so many accounts keeps its events. */
    private static final int KEEPING = 4;

    private static final int ACCOUNTS_OF_A_CLIENT = 3;
    private static final List<String> NODE_OPTIONS = List.of("-Xmx256m");

    private final ChaosOptions options;
    private final RunFolder folder;
    private final StatusLine status;
    private final BankDatabase database;
    private final BankCluster cluster;
    private final BankLoad load;
    private final Nemesis nemesis;
    private volatile String doing = "starting";
    private volatile boolean closed;

    /**
     * How it went.
     *
     * @param check nothing if the bank did not work again
     */
    record Result(
            List<String> failures,
            Map<FaultKind, Integer> survived,
            long writtenByBothSides,
            int starts,
            BankCheck.Result check) {}

    ChaosRun(ChaosOptions options, RunFolder folder, StatusLine status) {
        this.options = options;
        this.folder = folder;
        this.status = status;
        this.database = new BankDatabase(folder.tables());
        this.cluster = new BankCluster(database.endpoint(), folder.path(), options.seed(), NODE_OPTIONS);
        int accounts = options.accounts().orElse(ACCOUNTS);
        AccountPace pace = new AccountPace(accounts - accounts / KEEPING, accounts / KEEPING, LIMITS);
        Workload workload = new Workload(accounts / ACCOUNTS_OF_A_CLIENT, 0.25, 3);
        this.load = new BankLoad(workload, pace, database, cluster.nodes(), folder.path(), options.seed());
        this.nemesis = new Nemesis(cluster, database, load, options.seed());
    }

    /** Runs it to the end. */
    Result run() throws InterruptedException, IOException {
        List<String> failures = new ArrayList<>();
        watch();
        try {
            start();
            makeFaults();
        } catch (Trouble e) {
            failures.add(e.getMessage());
        }
        doing = "the clients finish";
        load.finish();
        doing = "the projections catch up";
        BankCheck.Result check = check();
        check.violations().forEach(violation -> failures.add(violation.toString()));
        return new Result(
                failures,
                nemesis.survived(),
                nemesis.writtenByBothSides(),
                cluster.nodes().stream().mapToInt(NodeProcess::starts).sum(),
                check);
    }

    private void start() throws InterruptedException {
        database.createModelTable();
        cluster.start();
        if (!cluster.awaitWhole(LONGEST_START)) {
            throw new IllegalStateException("The nodes did not become a cluster; their logs are in " + folder.path());
        }
        load.start();
        if (!load.awaitAcknowledged(load.pace().accounts().size(), LONGEST_START)) {
            throw new IllegalStateException("The bank does not answer; the logs of the nodes are in " + folder.path());
        }
    }

    private void makeFaults() throws InterruptedException {
        if (!options.faults().isEmpty()) {
            for (FaultKind kind : options.faults()) {
                make(kind);
            }
            return;
        }
        long end = System.nanoTime() + options.time().toNanos();
        while (System.nanoTime() - end < 0) {
            make(nemesis.next());
        }
    }

    private void make(FaultKind kind) throws InterruptedException {
        folder.note(kind + " begins");
        doing = kind.toString();
        long begin = System.nanoTime();
        nemesis.make(kind);
        folder.note(kind + " is over, and the bank works again");
        status.print(
                "%-24s survived after %4.1f s (%s)".formatted(kind, (System.nanoTime() - begin) / 1e9, load.counts()));
    }

    /** Shows what is going on until this JVM ends, or the run does. */
    private void watch() {
        Thread watcher = new Thread(
                () -> {
                    try {
                        while (!closed) {
                            status.show("%s (%s)".formatted(doing, load.counts()));
                            Thread.sleep(WATCH_MILLIS);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "chaos-status");
        watcher.setDaemon(true);
        watcher.start();
    }

    private BankCheck.Result check() throws InterruptedException, IOException {
        List<StoredAccount> accounts = SettledTables.read(database::client, READ_INTERVAL, LONGEST_CATCHING_UP);
        return new BankCheck(accounts, OperationLog.read(folder.path()), nemesis.rewinds()).run();
    }

    /** Ends all processes. */
    @Override
    public void close() {
        closed = true;
        load.close();
        cluster.close();
        database.close();
    }
}
