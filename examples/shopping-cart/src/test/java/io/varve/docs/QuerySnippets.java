package io.varve.docs;

import io.varve.persistence.query.EventMetadata;
import io.varve.persistence.query.SliceOffsets;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializer;
import org.apache.pekko.serialization.Serializers;
import org.apache.pekko.stream.RestartSettings;
import org.apache.pekko.stream.javadsl.RestartSource;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/** The code of the guide to queries. */
final class QuerySnippets {
    private static final RestartSettings RESTARTS =
            RestartSettings.create(Duration.ofMillis(200), Duration.ofSeconds(30), 0.2);

    private QuerySnippets() {}

    static DynamoDBReadJournal readJournal(ActorSystem<?> system) {
        // queries.md
        DynamoDBReadJournal queries = PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
        // end
        return queries;
    }

    static io.varve.persistence.query.scaladsl.DynamoDBReadJournal scalaReadJournal(ActorSystem<?> system) {
        return PersistenceQuery.get(system)
                .readJournalFor(io.varve.persistence.query.scaladsl.DynamoDBReadJournal.Identifier());
    }

    static CompletionStage<List<String>> allNotes(ActorSystem<?> system, DynamoDBReadJournal queries) {
        // queries.md
        Source<EventEnvelope<String>, NotUsed> notes =
                queries.currentEventsBySlices("Notes", 0, 1023, NoOffset.getInstance());
        return notes.map(envelope -> envelope.persistenceId() + ": " + envelope.getEvent())
                .runWith(Sink.seq(), system);
        // end
    }

    // queries.md
    interface ReadModel {
        /** What was saved last; NoOffset if nothing was. */
        CompletionStage<Offset> offset();

        /** Takes over an event, unless an event of this entity with this number or a higher one was taken over before. */
        CompletionStage<Done> handle(EventEnvelope<String> envelope);

        CompletionStage<Done> save(Offset offset);
    }

    static Source<Done, NotUsed> withOneOffset(DynamoDBReadJournal queries, ReadModel model) {
        return RestartSource.onFailuresWithBackoff(
                RESTARTS,
                () -> Source.completionStage(model.offset())
                        .flatMapConcat(from -> queries.<String>eventsBySlices("Notes", 0, 1023, from))
                        .mapAsync(1, envelope -> model.handle(envelope).thenApply(done -> envelope.offset()))
                        .groupedWithin(100, Duration.ofSeconds(1))
                        .mapAsync(1, offsets -> model.save(offsets.get(offsets.size() - 1))));
    }
    // end

    // queries.md
    static Source<Done, NotUsed> withAnOffsetForEachSlice(DynamoDBReadJournal queries, ReadModel model) {
        return RestartSource.onFailuresWithBackoff(
                RESTARTS,
                () -> Source.completionStage(model.offset())
                        .map(saved -> saved instanceof SliceOffsets slices ? slices : SliceOffsets.EMPTY)
                        .flatMapConcat(from -> queries.<String>eventsBySlices("Notes", 0, 1023, from))
                        .mapAsync(1, envelope -> model.handle(envelope).thenApply(done -> envelope.offset()))
                        .groupedWithin(100, Duration.ofSeconds(1))
                        .mapAsync(1, offsets -> model.save(offsets.get(offsets.size() - 1))));
    }
    // end

    // queries.md
    record SavedOffset(int serializer, String manifest, String base64) {}

    static SavedOffset toSave(ActorSystem<?> system, Offset offset) {
        Serializer serializer = SerializationExtension.get(system).findSerializerFor(offset);
        String manifest = Serializers.manifestFor(serializer, offset);
        String base64 = Base64.getEncoder().encodeToString(serializer.toBinary(offset));
        return new SavedOffset(serializer.identifier(), manifest, base64);
    }

    static Offset fromSaved(ActorSystem<?> system, SavedOffset saved) {
        byte[] bytes = Base64.getDecoder().decode(saved.base64());
        return (Offset) SerializationExtension.get(system)
                .deserialize(bytes, saved.serializer(), saved.manifest())
                .get();
    }
    // end

    /** An entity whose events have tags. */
    static final class Tasks extends EventSourcedBehavior<String, String, Integer> {
        Tasks(String id) {
            super(PersistenceId.of("Tasks", id));
        }

        // queries.md
        @Override
        public Set<String> tagsFor(String task) {
            return task.endsWith("!") ? Set.of("urgent") : Set.of();
        }
        // end

        @Override
        public Integer emptyState() {
            return 0;
        }

        @Override
        public CommandHandler<String, String, Integer> commandHandler() {
            return (count, task) -> Effect().persist(task);
        }

        @Override
        public EventHandler<Integer, String> eventHandler() {
            return (count, task) -> count + 1;
        }
    }

    static Source<String, NotUsed> urgentTasks(DynamoDBReadJournal queries, Offset from) {
        // queries.md
        return queries.eventsByTag("urgent", from).map(envelope -> (String) envelope.event());
        // end
    }

    static Set<String> tags(EventEnvelope<String> envelope) {
        // queries.md
        Set<String> tags = EventMetadata.of(envelope).tags();
        // end
        return tags;
    }

    // queries.md
    static CompletionStage<List<String>> nextPage(
            ActorSystem<?> system, DynamoDBReadJournal queries, Optional<String> lastId) {
        return queries.currentPersistenceIds(lastId, 1000).runWith(Sink.seq(), system);
    }
    // end

    static CompletionStage<Boolean> isThere(DynamoDBReadJournal queries, String persistenceId) {
        // queries.md
        CompletionStage<Optional<Instant>> when = queries.timestampOf(persistenceId, 1);
        CompletionStage<EventEnvelope<String>> first = queries.loadEnvelope(persistenceId, 1);
        // end
        return when.thenCombine(
                first, (time, envelope) -> time.isPresent() && time.get().toEpochMilli() == envelope.timestamp());
    }
}
