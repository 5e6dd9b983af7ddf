package io.varve.chaos.node;

import static java.util.Objects.requireNonNull;

import io.varve.chaos.node.ModelTable.Processed;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializers;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A projection by hand, by a live query of a tag: stores the effect of an event, then its offset, and goes on there after a failure. One
 * in the cluster follows, or two while it is split.
 */
final class TagFollower {
    private static final String MODEL = "tagged";
    private static final String OFFSET = "tagged-offset";

    private final ModelTable table;
    private final Serialization serialization;
    private final DynamoDBReadJournal queries;

    /** The stream is over, for whatever reason. */
    private record Ended(@Nullable Throwable failure) {}

    private TagFollower(ActorSystem<?> system, ModelTable table) {
        this.table = table;
        this.serialization = SerializationExtension.get(system);
        this.queries = PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    /** Makes this node a place for it. */
    static void init(ActorSystem<?> system, ModelTable table) {
        TagFollower follower = new TagFollower(system, table);
        Behavior<Ended> behavior = Behaviors.supervise(follower.behavior())
                .onFailure(SupervisorStrategy.restartWithBackoff(Duration.ofMillis(200), Duration.ofSeconds(2), 0.2));
        ClusterSingleton.get(system).init(SingletonActor.of(behavior, MODEL));
    }

    /** Follows until it fails or is stopped; its stream ends with it. */
    private Behavior<Ended> behavior() {
        return Behaviors.setup(context -> {
            Materializer materializer = Materializer.createMaterializer(context);
            context.pipeToSelf(follow(materializer), (done, failure) -> new Ended(failure));
            return Behaviors.receiveMessage(ended -> {
                throw new IllegalStateException("The query of the tag has ended", ended.failure());
            });
        });
    }

    private CompletionStage<Done> follow(Materializer materializer) {
        return Source.completionStage(table.get(OFFSET))
                .map(this::offset)
                .flatMapConcat(offset -> events(offset))
                .mapAsync(1, this::process)
                .run(materializer);
    }

    private Source<EventEnvelope, NotUsed> events(Offset from) {
        return queries.eventsByTag(AccountEntity.TAG, from);
    }

    private CompletionStage<Done> process(EventEnvelope envelope) {
        Processed processed =
                new Processed(envelope.persistenceId(), List.of(envelope.sequenceNr()), BankProjections.amount((String)
                        envelope.event()));
        return table.store(MODEL, processed).thenCompose(stored -> table.put(item(envelope.offset())));
    }

    private Map<String, AttributeValue> item(Offset offset) {
        var serializer = serialization.findSerializerFor(offset);
        return Map.of(
                "id",
                AttributeValue.fromS(OFFSET),
                "serializer",
                AttributeValue.fromN(Integer.toString(serializer.identifier())),
                "manifest",
                AttributeValue.fromS(Serializers.manifestFor(serializer, offset)),
                "bytes",
                AttributeValue.fromB(SdkBytes.fromByteArray(serializer.toBinary(offset))));
    }

    private Offset offset(Map<String, AttributeValue> item) {
        AttributeValue bytes = item.get("bytes");
        if (bytes == null) {
            return NoOffset.getInstance();
        }
        return (Offset) serialization
                .deserialize(
                        bytes.b().asByteArray(),
                        Integer.parseInt(requireNonNull(item.get("serializer")).n()),
                        requireNonNull(item.get("manifest")).s())
                .get();
    }
}
