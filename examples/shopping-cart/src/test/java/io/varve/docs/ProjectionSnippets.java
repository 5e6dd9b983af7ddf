package io.varve.docs;

import io.varve.example.shoppingcart.Event;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.ProgressObserver;
import io.varve.projection.ProgressObservers;
import io.varve.projection.Requests;
import io.varve.projection.javadsl.CreateTables;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.sharding.typed.javadsl.ShardedDaemonProcess;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.javadsl.ActorHandler;
import org.apache.pekko.projection.javadsl.AtLeastOnceFlowProjection;
import org.apache.pekko.projection.javadsl.AtLeastOnceProjection;
import org.apache.pekko.projection.javadsl.ExactlyOnceProjection;
import org.apache.pekko.projection.javadsl.GroupedProjection;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.projection.javadsl.StatefulHandler;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The code of the guide to projections. */
final class ProjectionSnippets {
    private ProjectionSnippets() {}

    // projections.md
    static CompletionStage<Done> createOffsetTable(ActorSystem<?> system) {
        DynamoDBProjectionSettings settings = DynamoDBProjectionSettings.create(system);
        DynamoDbAsyncClient client = DynamoDBClients.get(system).client(DynamoDBProjectionSettings.PATH);
        return CreateTables.createTimestampOffsetStoreTable(system, settings, client, false);
    }
    // end

    // projections.md
    static final class PopularItems extends DynamoDBTransactHandler<EventEnvelope<Event>> {
        private final String table;

        PopularItems(String table) {
            this.table = table;
        }

        @Override
        public CompletionStage<Collection<TransactWriteItem>> process(EventEnvelope<Event> envelope) {
            return CompletableFuture.completedFuture(
                    envelope.getEvent() instanceof Event.ItemAdded added
                            ? List.of(add(table, added.item(), added.quantity()))
                            : List.of());
        }
    }

    static TransactWriteItem add(String table, String item, int quantity) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(table)
                        .key(Map.of("item", AttributeValue.fromS(item)))
                        .updateExpression("ADD quantity :quantity")
                        .expressionAttributeValues(
                                Map.of(":quantity", AttributeValue.fromN(Integer.toString(quantity)))))
                .build();
    }
    // end

    // projections.md
    static ExactlyOnceProjection<Offset, EventEnvelope<Event>> popularItems(
            ActorSystem<?> system, String table, int minSlice, int maxSlice) {
        SourceProvider<Offset, EventEnvelope<Event>> carts =
                DynamoDBSourceProvider.eventsBySlices(system, "ShoppingCart", minSlice, maxSlice);
        return DynamoDBProjection.exactlyOnce(
                ProjectionId.of("popular-items", minSlice + "-" + maxSlice),
                Optional.empty(),
                carts,
                () -> new PopularItems(table),
                system);
    }
    // end

    // projections.md
    static void distribute(ActorSystem<?> system, String table) {
        DynamoDBReadJournal queries = PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
        List<Pair<Integer, Integer>> ranges = queries.sliceRanges(4);
        ShardedDaemonProcess.get(system)
                .init(
                        ProjectionBehavior.Command.class,
                        "popular-items",
                        ranges.size(),
                        index -> ProjectionBehavior.create(popularItems(
                                system,
                                table,
                                ranges.get(index).first(),
                                ranges.get(index).second())),
                        ProjectionBehavior.stopMessage());
    }
    // end

    static SourceProvider<Offset, EventEnvelope<Event>> pekkosProvider(ActorSystem<?> system) {
        // projections.md
        SourceProvider<Offset, EventEnvelope<Event>> carts =
                EventSourcedProvider.eventsBySlices(system, DynamoDBReadJournal.Identifier(), "ShoppingCart", 0, 1023);
        // end
        return carts;
    }

    /** Sends mails, in the examples. */
    interface Mailer {
        CompletionStage<Done> send(String id, String text);
    }

    // projections.md
    static final class OrderMails extends Handler<EventEnvelope<Event>> {
        private final Mailer mailer;

        OrderMails(Mailer mailer) {
            this.mailer = mailer;
        }

        @Override
        public CompletionStage<Done> process(EventEnvelope<Event> envelope) {
            if (envelope.getEvent() instanceof Event.CheckedOut order) {
                String id = envelope.persistenceId() + "-" + order.order();
                return mailer.send(id, "Thank you for order " + order.order() + ".");
            }
            return CompletableFuture.completedFuture(Done.getInstance());
        }
    }

    static AtLeastOnceProjection<Offset, EventEnvelope<Event>> orderMails(
            ActorSystem<?> system, SourceProvider<Offset, EventEnvelope<Event>> carts, Mailer mailer) {
        return DynamoDBProjection.atLeastOnce(
                        ProjectionId.of("order-mails", "0-1023"),
                        Optional.empty(),
                        carts,
                        () -> new OrderMails(mailer),
                        system)
                .withSaveOffset(25, Duration.ofMillis(250));
    }
    // end

    // projections.md
    static final class PopularItemsInGroups extends DynamoDBTransactHandler<List<EventEnvelope<Event>>> {
        private final String table;

        PopularItemsInGroups(String table) {
            this.table = table;
        }

        @Override
        public CompletionStage<Collection<TransactWriteItem>> process(List<EventEnvelope<Event>> envelopes) {
            Map<String, Integer> added = new HashMap<>();
            for (EventEnvelope<Event> envelope : envelopes) {
                if (envelope.getEvent() instanceof Event.ItemAdded event) {
                    added.merge(event.item(), event.quantity(), Integer::sum);
                }
            }
            List<TransactWriteItem> changes = new ArrayList<>();
            added.forEach((item, quantity) -> changes.add(add(table, item, quantity)));
            return CompletableFuture.completedFuture(changes);
        }
    }

    static GroupedProjection<Offset, EventEnvelope<Event>> popularItemsInGroups(
            ActorSystem<?> system, SourceProvider<Offset, EventEnvelope<Event>> carts, String table) {
        return DynamoDBProjection.exactlyOnceGroupedWithin(
                        ProjectionId.of("popular-items-in-groups", "0-1023"),
                        Optional.empty(),
                        carts,
                        () -> new PopularItemsInGroups(table),
                        system)
                .withGroup(40, Duration.ofMillis(200));
    }
    // end

    // projections.md
    static final class Orders extends Handler<List<EventEnvelope<Event>>> {
        private final ActorSystem<?> system;
        private final DynamoDbAsyncClient client;
        private final String table;

        Orders(ActorSystem<?> system, DynamoDbAsyncClient client, String table) {
            this.system = system;
            this.client = client;
            this.table = table;
        }

        @Override
        public CompletionStage<Done> process(List<EventEnvelope<Event>> envelopes) {
            List<WriteRequest> orders = new ArrayList<>();
            for (EventEnvelope<Event> envelope : envelopes) {
                if (envelope.getEvent() instanceof Event.CheckedOut order) {
                    String id = envelope.persistenceId() + "-" + order.order();
                    orders.add(WriteRequest.builder()
                            .putRequest(put -> put.item(Map.of(
                                    "id", AttributeValue.fromS(id),
                                    "time", AttributeValue.fromN(Long.toString(envelope.timestamp())))))
                            .build());
                }
            }
            if (orders.isEmpty()) {
                return CompletableFuture.completedFuture(Done.getInstance());
            }
            return Requests.batchWriteWithRetries(
                            client,
                            BatchWriteItemRequest.builder()
                                    .requestItems(Map.of(table, orders))
                                    .build(),
                            3,
                            Duration.ofMillis(200),
                            Duration.ofSeconds(2),
                            0.3,
                            system)
                    .thenApply(response -> Done.getInstance());
        }
    }

    static GroupedProjection<Offset, EventEnvelope<Event>> orders(
            ActorSystem<?> system,
            SourceProvider<Offset, EventEnvelope<Event>> carts,
            DynamoDbAsyncClient client,
            String table) {
        return DynamoDBProjection.atLeastOnceGroupedWithin(
                        ProjectionId.of("orders", "0-1023"),
                        Optional.empty(),
                        carts,
                        () -> new Orders(system, client, table),
                        system)
                .withGroup(25, Duration.ofMillis(200));
    }
    // end

    // projections.md
    static AtLeastOnceFlowProjection<Offset, EventEnvelope<Event>> mailsByFlow(
            ActorSystem<?> system, SourceProvider<Offset, EventEnvelope<Event>> carts, Mailer mailer) {
        FlowWithContext<EventEnvelope<Event>, ProjectionContext, Done, ProjectionContext, ?> flow =
                FlowWithContext.<EventEnvelope<Event>, ProjectionContext>create()
                        .mapAsync(
                                8,
                                envelope -> envelope.getEvent() instanceof Event.CheckedOut order
                                        ? mailer.send(envelope.persistenceId() + "-" + order.order(), "Thank you.")
                                        : CompletableFuture.completedFuture(Done.getInstance()));
        return DynamoDBProjection.atLeastOnceFlow(
                ProjectionId.of("mails-by-flow", "0-1023"), Optional.empty(), carts, flow, system);
    }
    // end

    // projections.md
    static Handler<EventEnvelope<Event>> logging(List<String> log) {
        return Handler.fromFunction(envelope -> {
            log.add(envelope.persistenceId() + " " + envelope.sequenceNr());
            return CompletableFuture.completedFuture(Done.getInstance());
        });
    }

    static DynamoDBTransactHandler<EventEnvelope<Event>> countingOrders(String table) {
        return DynamoDBTransactHandler.fromFunction(envelope -> CompletableFuture.completedFuture(
                envelope.getEvent() instanceof Event.CheckedOut ? List.of(add(table, "orders", 1)) : List.of()));
    }
    // end

    // projections.md
    static final class OrdersPerCart extends StatefulHandler<Map<String, Integer>, EventEnvelope<Event>> {
        @Override
        public CompletionStage<Map<String, Integer>> initialState() {
            return CompletableFuture.completedFuture(new HashMap<>());
        }

        @Override
        public CompletionStage<Map<String, Integer>> process(
                Map<String, Integer> orders, EventEnvelope<Event> envelope) {
            if (envelope.getEvent() instanceof Event.CheckedOut order) {
                orders.put(envelope.persistenceId(), order.order());
            }
            return CompletableFuture.completedFuture(orders);
        }
    }
    // end

    // projections.md
    record Handle(EventEnvelope<Event> envelope, ActorRef<Done> replyTo) {}

    static final class ByActor extends ActorHandler<EventEnvelope<Event>, Handle> {
        private final ActorSystem<?> system;

        ByActor(ActorSystem<?> system, Behavior<Handle> behavior) {
            super(behavior);
            this.system = system;
        }

        @Override
        public CompletionStage<Done> process(ActorRef<Handle> actor, EventEnvelope<Event> envelope) {
            return AskPattern.ask(
                    actor, replyTo -> new Handle(envelope, replyTo), Duration.ofSeconds(5), system.scheduler());
        }
    }

    static Behavior<Handle> handling(List<Event> handled) {
        return Behaviors.receiveMessage(message -> {
            handled.add(message.envelope().getEvent());
            message.replyTo().tell(Done.getInstance());
            return Behaviors.same();
        });
    }
    // end

    // projections.md
    static final class MailsOverAConnection extends Handler<EventEnvelope<Event>> {
        interface Connection extends Mailer {
            CompletionStage<Done> close();
        }

        private final Supplier<CompletionStage<Connection>> mailServer;
        private CompletionStage<Connection> connection = CompletableFuture.failedFuture(new IllegalStateException());

        MailsOverAConnection(Supplier<CompletionStage<Connection>> mailServer) {
            this.mailServer = mailServer;
        }

        @Override
        public CompletionStage<Done> start() {
            connection = mailServer.get();
            return connection.thenApply(connected -> Done.getInstance());
        }

        @Override
        public CompletionStage<Done> process(EventEnvelope<Event> envelope) {
            return connection.thenCompose(mails -> new OrderMails(mails).process(envelope));
        }

        @Override
        public CompletionStage<Done> stop() {
            return connection.thenCompose(Connection::close).exceptionally(neverOpened -> Done.getInstance());
        }
    }
    // end

    static Projection<EventEnvelope<Event>> skipping(AtLeastOnceProjection<Offset, EventEnvelope<Event>> projection) {
        // projections.md
        return projection
                .withRecoveryStrategy(HandlerRecoveryStrategy.retryAndSkip(3, Duration.ofSeconds(1)))
                .withRestartBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30), 0.2);
        // end
    }

    static DynamoDBProjectionSettings parallel(ActorSystem<?> system) {
        // projections.md
        DynamoDBProjectionSettings settings =
                DynamoDBProjectionSettings.create(system).withParallelism(16);
        // end
        return settings;
    }

    static DynamoDBProjectionSettings groupCommit(ActorSystem<?> system) {
        // projections.md
        DynamoDBProjectionSettings settings =
                DynamoDBProjectionSettings.create(system).withGroupCommit(50);
        // end
        return settings;
    }

    static DynamoDBProjectionSettings second(ActorSystem<?> system) {
        // projections.md
        DynamoDBProjectionSettings settings = DynamoDBProjectionSettings.create(system, "second-projection-dynamodb");
        // end
        return settings;
    }

    // projections.md
    static CompletionStage<Done> pauseAndResume(ActorSystem<?> system, ProjectionId projection) {
        ProjectionManagement management = ProjectionManagement.get(system);
        return management
                .pause(projection)
                .thenCompose(paused -> management.isPaused(projection))
                .thenCompose(paused -> management.resume(projection));
    }

    static CompletionStage<Done> goTo(ActorSystem<?> system, ProjectionId projection, Instant time) {
        return ProjectionManagement.get(system).updateOffset(projection, Offset.timestamp(time));
    }

    static CompletionStage<Done> beginAnew(ActorSystem<?> system, ProjectionId projection) {
        return ProjectionManagement.get(system).clearOffset(projection);
    }
    // end

    static CompletionStage<Optional<Offset>> offset(ActorSystem<?> system, ProjectionId projection) {
        // projections.md
        return ProjectionManagement.get(system).getOffset(projection);
        // end
    }

    // projections.md
    static final class Lag implements ProgressObserver {
        private final Map<Integer, Duration> bySlice = new ConcurrentHashMap<>();

        @Override
        public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {
            bySlice.put(slice, Duration.between(stored, seen));
        }

        Map<Integer, Duration> bySlice() {
            return bySlice;
        }
    }

    static Lag observe(ActorSystem<?> system) {
        Lag lag = new Lag();
        ProgressObservers.get(system).add(lag);
        return lag;
    }
    // end

    // projections.md
    static final class Failures extends StatusObserver<EventEnvelope<Event>> {
        private final List<String> seen;

        Failures(List<String> seen) {
            this.seen = seen;
        }

        @Override
        public void started(ProjectionId projection) {
            seen.add("started");
        }

        @Override
        public void failed(ProjectionId projection, Throwable cause) {
            seen.add("failed");
        }

        @Override
        public void stopped(ProjectionId projection) {
            seen.add("stopped");
        }

        @Override
        public void beforeProcess(ProjectionId projection, EventEnvelope<Event> envelope) {}

        @Override
        public void afterProcess(ProjectionId projection, EventEnvelope<Event> envelope) {}

        @Override
        public void offsetProgress(ProjectionId projection, EventEnvelope<Event> envelope) {}

        @Override
        public void error(
                ProjectionId projection,
                EventEnvelope<Event> envelope,
                Throwable cause,
                HandlerRecoveryStrategy strategy) {
            seen.add("error");
        }
    }
    // end
}
