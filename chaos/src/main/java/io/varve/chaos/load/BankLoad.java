package io.varve.chaos.load;

import io.varve.chaos.check.TableReader;
import io.varve.chaos.cluster.Await;
import io.varve.chaos.cluster.BankDatabase;
import io.varve.chaos.cluster.NodeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** All clients, and one that watches how far the projections are. */
public final class BankLoad implements AutoCloseable {
    private static final Duration LONGEST_END = Duration.ofSeconds(90);

    private final AccountPace pace;
    private final LoadCounts counts = new LoadCounts();
    private final BankDatabase database;
    private final List<LoadClient> clients = new ArrayList<>();
    private final List<Future<?>> running = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "chaos-load");
        thread.setDaemon(true);
        return thread;
    });
    private volatile boolean stops;
    private volatile boolean givesUp;

    /** Prepares the clients, whose logs are in the folder. */
    public BankLoad(
            Workload workload,
            AccountPace pace,
            BankDatabase database,
            List<NodeProcess> nodes,
            Path folder,
            long seed) {
        this.pace = pace;
        this.database = database;
        for (int i = 1; i <= workload.clients(); i++) {
            ClientLog log = new ClientLog(folder.resolve("client-" + i + ".log"));
            clients.add(new LoadClient(i, workload, pace, nodes, seed, log, counts));
        }
    }

    /** What was done so far. */
    public LoadCounts counts() {
        return counts;
    }

    /** Which accounts are written. */
    public AccountPace pace() {
        return pace;
    }

    /** Opens all accounts, then lets the clients run until somebody says so. */
    public void start() {
        start(() -> stops);
    }

    /** As {@link #start()}, until there is an end by itself, too. */
    public void start(BooleanSupplier ends) {
        running.add(threads.submit(this::watch));
        List<String> accounts = pace.accounts();
        for (int i = 0; i < clients.size(); i++) {
            LoadClient client = clients.get(i);
            List<String> own = new ArrayList<>();
            for (int j = i; j < accounts.size(); j += clients.size()) {
                own.add(accounts.get(j));
            }
            running.add(threads.submit(() -> {
                client.open(own, () -> givesUp);
                client.run(() -> stops || ends.getAsBoolean(), () -> givesUp);
                return null;
            }));
        }
    }

    private void watch() {
        while (!stops) {
            try (DynamoDbAsyncClient client = database.client()) {
                while (!stops) {
                    pace.progress(TableReader.models(client));
                    Thread.sleep(pace.watchInterval().toMillis());
                }
            } catch (CompletionException e) {
                // the database is down: what is known stays, and the accounts wait
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Waits until so many more operations are acknowledged; false if they are not in time. */
    public boolean awaitAcknowledged(long more, Duration limit) throws InterruptedException {
        long goal = counts.ofAcknowledged() + more;
        return awaitTrue(() -> counts.ofAcknowledged() >= goal, limit);
    }

    /** Waits until projections have processed what is stored now; false if they do not. */
    public boolean awaitProjections(Duration limit) throws InterruptedException {
        pace.expectProjections();
        return awaitTrue(() -> pace.missing().isEmpty(), limit);
    }

    /** Writes only accounts that keep their events from now on; returns when nothing else is under way. */
    public boolean keepingOnly(Duration limit) throws InterruptedException {
        pace.keepingOnly(true);
        return awaitTrue(pace::deletingAreQuiet, limit);
    }

    private boolean awaitTrue(BooleanSupplier condition, Duration limit) throws InterruptedException {
        return Await.until(
                () -> {
                    running.stream().filter(Future::isDone).forEach(BankLoad::failIfFailed);
                    return condition.getAsBoolean();
                },
                limit);
    }

    /** Lets the clients finish what they have begun. */
    public void finish() throws InterruptedException {
        stops = true;
        awaitTrue(() -> running.stream().allMatch(Future::isDone), LONGEST_END);
        givesUp = true;
        for (Future<?> client : running) {
            failIfFailed(client);
        }
    }

    /** Whether all clients have ended by themselves. */
    public boolean awaitEnd(Duration limit) throws InterruptedException {
        return awaitTrue(() -> running.stream().skip(1).allMatch(Future::isDone), limit);
    }

    private static void failIfFailed(Future<?> client) {
        try {
            client.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("A client has failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stops = true;
        givesUp = true;
        threads.shutdownNow();
        clients.forEach(LoadClient::close);
    }
}
