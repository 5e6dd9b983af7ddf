package io.varve.chaos.nemesis;

import io.varve.chaos.check.ReadModel;
import io.varve.chaos.check.TableReader;
import io.varve.chaos.cluster.Await;
import io.varve.chaos.cluster.BankCluster;
import io.varve.chaos.cluster.BankDatabase;
import io.varve.chaos.load.AccountPace;
import io.varve.chaos.load.BankLoad;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What is done to projections by hand. */
final class ProjectionFaults {
    private static final List<String> NAMES = List.of("exactly-once", "grouped", "at-least-once");
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration LONGEST_REWIND = Duration.ofMinutes(15);
    private static final int ATTEMPTS = 5;
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);
    private static final long AGAIN_MILLIS = 500;

    private final BankCluster cluster;
    private final BankDatabase database;
    private final BankLoad load;
    private final Random random;
    private final Map<String, Integer> rewinds = new ConcurrentHashMap<>();

    ProjectionFaults(BankCluster cluster, BankDatabase database, BankLoad load, Random random) {
        this.cluster = cluster;
        this.database = database;
        this.load = load;
        this.random = random;
    }

    /** How often it was tried to set each projection back. */
    Map<String, Integer> rewinds() {
        return rewinds;
    }

    void pause() throws InterruptedException {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        tell("pause", name);
        Thread.sleep(3000 + random.nextInt(5000));
        tell("resume", name);
    }

    /** What is deleted meanwhile could not be processed again, so that accounts that delete are left alone until it is. */
    void rewind() throws InterruptedException {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        if (!load.keepingOnly(PATIENCE)) {
            throw new Trouble("Operations did not end within " + PATIENCE);
        }
        Map<String, Long> before = stepsBack(name);
        tell("rewind", name);
        if (!Await.until(() -> isDoneAgain(before, name), LONGEST_REWIND, LOOK_INTERVAL)) {
            throw new Trouble(
                    "%s was set back to the beginning, but did not process everything again: it had begun again %s times, and now %s"
                            .formatted(name, before, stepsBack(name)));
        }
        load.pace().keepingOnly(false);
    }

    private boolean isDoneAgain(Map<String, Long> before, String name) {
        Map<String, Map<String, ReadModel>> models = models();
        return before.keySet().stream().allMatch(account -> {
            ReadModel model = models.getOrDefault(account, Map.of()).getOrDefault(name, ReadModel.NONE);
            List<Long> numbers = model.numbers();
            return stepsBack(model) > before.getOrDefault(account, 0L)
                    && numbers.get(numbers.size() - 1) == model.highest();
        });
    }

    /** How often each account that deletes was begun again so far. */
    private Map<String, Long> stepsBack(String name) {
        Map<String, Long> steps = new HashMap<>();
        models().forEach((account, models) -> {
            ReadModel model = models.getOrDefault(name, ReadModel.NONE);
            if (AccountPace.deletes(account) && !model.numbers().isEmpty()) {
                steps.put(account, stepsBack(model));
            }
        });
        return steps;
    }

    private static long stepsBack(ReadModel model) {
        List<Long> numbers = model.numbers();
        return IntStream.range(1, numbers.size())
                .filter(i -> numbers.get(i) <= numbers.get(i - 1))
                .count();
    }

    private Map<String, Map<String, ReadModel>> models() {
        try (DynamoDbAsyncClient client = database.client()) {
            return TableReader.models(client);
        }
    }

    /** An order that has failed may have had an effect on some instances. */
    private void tell(String order, String name) throws InterruptedException {
        String answer = "";
        for (int i = 0; i < ATTEMPTS; i++) {
            if (order.equals("rewind")) {
                rewinds.merge(name, 1, Integer::sum);
            }
            try {
                answer = cluster.nodes()
                        .get(random.nextInt(cluster.nodes().size()))
                        .ask(order + " " + name, PATIENCE);
            } catch (IOException e) {
                answer = e.toString();
            }
            if (answer.equals("ok")) {
                return;
            }
            Thread.sleep(AGAIN_MILLIS);
        }
        throw new Trouble("%s of %s did not work %d times, at last: %s".formatted(order, name, ATTEMPTS, answer));
    }
}
