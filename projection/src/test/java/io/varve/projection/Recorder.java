package io.varve.projection;

import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Projections of all delivery modes whose handlers record what they get: the exactly-once ones in a table, the others in memory. */
final class Recorder {
    private final TestSystem test;
    private final Hook hook;
    private final Map<String, List<String>> memory = new ConcurrentHashMap<>();
    private final List<String> attempts = new CopyOnWriteArrayList<>();
    private final List<List<String>> groups = new CopyOnWriteArrayList<>();

    /** What a handler does before it records an event. */
    interface Hook {
        CompletionStage<Done> run(EventEnvelope<String> envelope) throws Exception;
    }

    enum Kind {
        EXACTLY_ONCE,
        GROUP_COMMIT,
        AT_LEAST_ONCE,
        EXACTLY_ONCE_GROUPED,
        AT_LEAST_ONCE_GROUPED,
        FLOW;

        boolean isExactlyOnce() {
            return this == EXACTLY_ONCE || this == GROUP_COMMIT || this == EXACTLY_ONCE_GROUPED;
        }

        boolean isGrouped() {
            return this == EXACTLY_ONCE_GROUPED || this == AT_LEAST_ONCE_GROUPED;
        }
    }

    Recorder(TestSystem test) {
        this(test, envelope -> done());
    }

    Recorder(TestSystem test, Hook hook) {
        this.test = test;
        this.hook = hook;
    }

    static CompletionStage<Done> done() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** Of all slices of an entity type that is called as the projection. */
    PekkoProjection<EventEnvelope<String>> projection(Kind kind, String name) {
        return projection(
                kind,
                ProjectionId.of(name, "0-1023"),
                DynamoDBSourceProvider.eventsBySlices(test.system(), name, 0, 1023));
    }

    PekkoProjection<EventEnvelope<String>> projection(
            Kind kind, ProjectionId id, SourceProvider<Offset, EventEnvelope<String>> provider) {
        return projection(kind, id, Optional.empty(), provider);
    }

    PekkoProjection<EventEnvelope<String>> projection(
            Kind kind,
            ProjectionId id,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, EventEnvelope<String>> provider) {
        Object made = switch (kind) {
            case EXACTLY_ONCE ->
                DynamoDBProjection.exactlyOnce(id, settings, provider, () -> transact(this::one), test.system());
            case GROUP_COMMIT ->
                DynamoDBProjection.exactlyOnce(
                        id,
                        Optional.of(settings.orElseGet(() -> DynamoDBProjectionSettings.create(test.system()))
                                .withGroupCommit(20)),
                        provider,
                        () -> transact(this::one),
                        test.system());
            case AT_LEAST_ONCE ->
                DynamoDBProjection.atLeastOnce(id, settings, provider, () -> plain(this::one), test.system());
            case EXACTLY_ONCE_GROUPED ->
                DynamoDBProjection.exactlyOnceGroupedWithin(
                        id, settings, provider, () -> transact(this::group), test.system());
            case AT_LEAST_ONCE_GROUPED ->
                DynamoDBProjection.atLeastOnceGroupedWithin(
                        id, settings, provider, () -> plain(this::group), test.system());
            case FLOW -> DynamoDBProjection.atLeastOnceFlow(id, settings, provider, flow(), test.system());
        };
        return cast(made);
    }

    @SuppressWarnings("unchecked")
    static PekkoProjection<EventEnvelope<String>> cast(Object projection) {
        return (PekkoProjection<EventEnvelope<String>>) projection;
    }

    private List<EventEnvelope<String>> one(EventEnvelope<String> envelope) {
        return List.of(envelope);
    }

    private List<EventEnvelope<String>> group(List<EventEnvelope<String>> envelopes) {
        groups.add(envelopes.stream().map(EventEnvelope::getEvent).toList());
        return envelopes;
    }

    private interface Listing<X> {
        List<EventEnvelope<String>> of(X input);
    }

    private <X> DynamoDBTransactHandler<X> transact(Listing<X> listing) {
        return new DynamoDBTransactHandler<>() {
            @Override
            public CompletionStage<Collection<TransactWriteItem>> process(X input) throws Exception {
                List<EventEnvelope<String>> envelopes = listing.of(input);
                return hooked(envelopes).thenApply(done -> appending(envelopes));
            }
        };
    }

    private <X> Handler<X> plain(Listing<X> listing) {
        return new Handler<>() {
            @Override
            public CompletionStage<Done> process(X input) throws Exception {
                List<EventEnvelope<String>> envelopes = listing.of(input);
                return hooked(envelopes).thenApply(done -> remember(envelopes));
            }
        };
    }

    private FlowWithContext<EventEnvelope<String>, ProjectionContext, Done, ProjectionContext, ?> flow() {
        return FlowWithContext.<EventEnvelope<String>, ProjectionContext>create()
                .mapAsync(1, envelope -> hooked(List.of(envelope)).thenApply(done -> remember(List.of(envelope))));
    }

    private CompletionStage<Done> hooked(List<EventEnvelope<String>> envelopes) throws Exception {
        CompletionStage<Done> all = done();
        for (EventEnvelope<String> envelope : envelopes) {
            attempts.add(envelope.getEvent());
            CompletionStage<Done> one = hook.run(envelope);
            all = all.thenCompose(before -> one);
        }
        return all;
    }

    private Done remember(List<EventEnvelope<String>> envelopes) {
        for (EventEnvelope<String> envelope : envelopes) {
            memory.computeIfAbsent(envelope.persistenceId(), id -> new CopyOnWriteArrayList<>())
                    .add(envelope.getEvent());
        }
        return Done.getInstance();
    }

    /** Appends the events to the list of their entity. */
    private Collection<TransactWriteItem> appending(List<EventEnvelope<String>> envelopes) {
        Map<String, List<AttributeValue>> events = new LinkedHashMap<>();
        envelopes.forEach(envelope -> events.computeIfAbsent(envelope.persistenceId(), id -> new ArrayList<>())
                .add(AttributeValue.fromS(envelope.getEvent())));
        return events.entrySet().stream().map(this::append).toList();
    }

    private TransactWriteItem append(Map.Entry<String, List<AttributeValue>> events) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(test.target())
                        .key(key(events.getKey()))
                        .updateExpression("SET events = list_append(if_not_exists(events, :none), :events)")
                        .expressionAttributeValues(Map.of(
                                ":none", AttributeValue.fromL(List.of()),
                                ":events", AttributeValue.fromL(events.getValue()))))
                .build();
    }

    private static Map<String, AttributeValue> key(String persistenceId) {
        return Map.of("id", AttributeValue.fromS(persistenceId));
    }

    /** What was recorded of an entity, in order. */
    List<String> applied(String persistenceId) {
        List<String> remembered = memory.get(persistenceId);
        if (remembered != null) {
            return List.copyOf(remembered);
        }
        AttributeValue events = test.client()
                .getItem(get ->
                        get.tableName(test.target()).key(key(persistenceId)).consistentRead(true))
                .join()
                .item()
                .get("events");
        return events == null
                ? List.of()
                : events.l().stream().map(AttributeValue::s).toList();
    }

    /** The events of all calls of the handler, also of those that failed. */
    List<String> attempts() {
        return attempts;
    }

    /** The groups that grouped handlers were called with. */
    List<List<String>> groups() {
        return groups;
    }
}
