package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** One transaction for each event. */
class ExactlyOnceTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    /** Appends the event to the text of its entity. */
    private static DynamoDBTransactHandler<EventEnvelope<String>> appending() {
        return DynamoDBTransactHandler.fromFunction(envelope -> {
            Collection<TransactWriteItem> items = List.of(TransactWriteItem.builder()
                    .update(update -> update.tableName(test.target())
                            .key(Map.of("id", AttributeValue.fromS(envelope.persistenceId())))
                            .updateExpression("SET events = list_append(if_not_exists(events, :none), :event)")
                            .expressionAttributeValues(Map.of(
                                    ":none", AttributeValue.fromL(List.of()),
                                    ":event",
                                            AttributeValue.fromL(List.of(AttributeValue.fromS(envelope.getEvent()))))))
                    .build());
            return CompletableFuture.completedFuture(items);
        });
    }

    private static List<String> applied(String persistenceId) {
        Map<String, AttributeValue> item = test.client()
                .getItem(get -> get.tableName(test.target())
                        .key(Map.of("id", AttributeValue.fromS(persistenceId)))
                        .consistentRead(true))
                .join()
                .item();
        AttributeValue events = item.get("events");
        return events == null
                ? List.of()
                : events.l().stream().map(AttributeValue::s).toList();
    }

    @Test
    void events_areAppliedOnce_alsoAfterARestart() {
        ActorRef<ProjectionBehavior.Command> projection = run("restart", "a");
        test.persist("a|1", "1", "2", "3");
        await().untilAsserted(() -> assertThat(applied("a|1")).containsExactly("1", "2", "3"));
        test.stop(projection);
        test.persist("a|1", "4");
        ActorRef<ProjectionBehavior.Command> again = run("restart", "a");
        test.persist("a|1", "5");
        await().untilAsserted(() -> assertThat(applied("a|1")).containsExactly("1", "2", "3", "4", "5"));
        test.stop(again);
    }

    private static ActorRef<ProjectionBehavior.Command> run(String name, String entityType) {
        return test.start(DynamoDBProjection.exactlyOnce(
                ProjectionId.of(name, "0-1023"),
                Optional.empty(),
                DynamoDBSourceProvider.<String>eventsBySlices(test.system(), entityType, 0, 1023),
                ExactlyOnceTest::appending,
                test.system()));
    }
}
