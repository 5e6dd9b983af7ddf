package io.varve.projection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Handlers of a projection that note the numbers of the events, and fail at random. Those that change the target table append
 * the number to the list of its entity, and add 1 to a counter of its own; the others keep a list in memory.
 */
final class NumberHandlers {
    static final String LIST = "list";

    private final String projection;
    private final String target;
    private final double failing;
    private final Random random;
    private final Map<String, List<Long>> noted = new ConcurrentHashMap<>();

    NumberHandlers(String projection, String target, double failing, long seed) {
        this.projection = projection;
        this.target = target;
        this.failing = failing;
        this.random = new Random(seed);
    }

    String projection() {
        return projection;
    }

    /** What was noted in memory, by persistence id. */
    Map<String, List<Long>> noted() {
        Map<String, List<Long>> copy = new HashMap<>();
        noted.forEach((persistenceId, numbers) -> {
            synchronized (numbers) {
                copy.put(persistenceId, List.copyOf(numbers));
            }
        });
        return copy;
    }

    DynamoDBTransactHandler<EventEnvelope<String>> storing() {
        return DynamoDBTransactHandler.fromFunction(envelope -> store(List.of(envelope)));
    }

    DynamoDBTransactHandler<List<EventEnvelope<String>>> storingGroups() {
        return DynamoDBTransactHandler.fromFunction(this::store);
    }

    Handler<EventEnvelope<String>> noting() {
        return Handler.fromFunction(envelope -> note(List.of(envelope)));
    }

    Handler<List<EventEnvelope<String>>> notingGroups() {
        return Handler.fromFunction(this::note);
    }

    FlowWithContext<EventEnvelope<String>, ProjectionContext, Done, ProjectionContext, ?> flow() {
        return FlowWithContext.<EventEnvelope<String>, ProjectionContext>create()
                .mapAsync(3, envelope -> note(List.of(envelope)));
    }

    private boolean fails() {
        synchronized (random) {
            return random.nextDouble() < failing;
        }
    }

    private <T> CompletionStage<T> failed() {
        return CompletableFuture.failedFuture(new IllegalStateException("The handler fails, as it should."));
    }

    private CompletionStage<Collection<TransactWriteItem>> store(List<EventEnvelope<String>> envelopes) {
        if (fails()) {
            return failed();
        }
        Map<String, List<Long>> numbers = new LinkedHashMap<>();
        envelopes.forEach(envelope -> numbers.computeIfAbsent(envelope.persistenceId(), id -> new ArrayList<>())
                .add(number(envelope)));
        List<TransactWriteItem> items = new ArrayList<>();
        numbers.forEach((persistenceId, added) -> items.add(update(persistenceId, added)));
        return CompletableFuture.completedFuture(items);
    }

    private static long number(EventEnvelope<String> envelope) {
        if (!envelope.getEvent().equals(Long.toString(envelope.sequenceNr()))) {
            throw new AssertionError("Event " + envelope.sequenceNr() + " is " + envelope.getEvent());
        }
        return envelope.sequenceNr();
    }

    private TransactWriteItem update(String persistenceId, List<Long> numbers) {
        StringBuilder add = new StringBuilder(" ADD");
        for (int i = 0; i < numbers.size(); i++) {
            add.append(i == 0 ? " n" : ", n").append(numbers.get(i)).append(" :one");
        }
        return TransactWriteItem.builder()
                .update(update -> update.tableName(target)
                        .key(Map.of("id", AttributeValue.fromS(key(projection, persistenceId))))
                        .updateExpression("SET #list = list_append(if_not_exists(#list, :none), :numbers)" + add)
                        .expressionAttributeNames(Map.of("#list", LIST))
                        .expressionAttributeValues(Map.of(
                                ":none",
                                AttributeValue.fromL(List.of()),
                                ":one",
                                AttributeValue.fromN("1"),
                                ":numbers",
                                AttributeValue.fromL(numbers.stream()
                                        .map(number -> AttributeValue.fromN(Long.toString(number)))
                                        .toList()))))
                .build();
    }

    static String key(String projection, String persistenceId) {
        return projection + "/" + persistenceId;
    }

    /** Fails before or after it has noted a part. */
    private CompletionStage<Done> note(List<EventEnvelope<String>> envelopes) {
        boolean fails = fails();
        int count = fails ? envelopes.size() / 2 : envelopes.size();
        Function<String, List<Long>> none = id -> new ArrayList<>();
        for (EventEnvelope<String> envelope : envelopes.subList(0, count)) {
            List<Long> numbers = noted.computeIfAbsent(envelope.persistenceId(), none);
            synchronized (numbers) {
                numbers.add(number(envelope));
            }
        }
        return fails ? failed() : CompletableFuture.completedFuture(Done.getInstance());
    }
}
