package io.varve.persistence.internal.serialization;

import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.layout.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Pekko's representation of events to the store's, and back. */
public final class EventCodec {
    private final Payloads payloads;

    /** A codec with the actor system's serializers. */
    public EventCodec(ActorSystem system) {
        this.payloads = new Payloads(system);
    }

    /** An atomic write, serialized; fails if one of its events cannot be. */
    public CompletionStage<AppendRequest> encode(AtomicWrite write) {
        List<PersistentRepr> reprs = CollectionConverters.asJava(write.payload());
        CompletionStage<List<NewEvent>> events = CompletableFuture.completedFuture(new ArrayList<>(reprs.size()));
        for (PersistentRepr repr : reprs) {
            CompletionStage<NewEvent> event = encode(repr);
            events = events.thenCombine(event, (list, encoded) -> {
                list.add(encoded);
                return list;
            });
        }
        return events.thenApply(list -> new AppendRequest(write.persistenceId(), list));
    }

    private CompletionStage<NewEvent> encode(PersistentRepr repr) {
        Set<String> tags = Set.of();
        Object event = repr.payload();
        if (event instanceof Tagged tagged) {
            tags = Set.copyOf(CollectionConverters.asJava(tagged.tags()));
            event = tagged.payload();
        }
        Set<String> eventTags = tags;
        CompletionStage<Optional<Payload>> metadata = repr.metadata().isDefined()
                ? payloads.serialize(repr.metadata().get()).thenApply(Optional::of)
                : CompletableFuture.completedFuture(Optional.empty());
        return payloads.serialize(event)
                .thenCombine(
                        metadata,
                        (payload, meta) -> new NewEvent(
                                repr.sequenceNr(), payload, repr.writerUuid(), repr.manifest(), meta, eventTags));
    }

    /** The event as Pekko replays it. */
    public CompletionStage<PersistentRepr> decode(Event event) {
        return payloads.deserialize(event.payload())
                .thenCompose(payload -> event.legacy() ? legacy(event, payload) : current(event, payload))
                .thenApply(EventCodec::checked)
                .exceptionally(thrown -> {
                    throw new VarveException(
                            "Event " + event.sequenceNumber() + " of '" + event.persistenceId()
                                    + "' cannot be deserialized (serializer "
                                    + event.payload().serializerId() + ", manifest '"
                                    + event.payload().manifest()
                                    + "'): register a serializer that reads it under that identifier.",
                            Causes.unwrap(thrown));
                });
    }

    /** Pekko never stores null, but its serializer of null makes that of any bytes. */
    private static PersistentRepr checked(PersistentRepr repr) {
        @Nullable Object payload = repr.payload();
        if (payload == null) {
            throw new VarveException("Its serializer makes nothing of it.");
        }
        return repr;
    }

    private static CompletionStage<PersistentRepr> legacy(Event event, Object whole) {
        return CompletableFuture.completedFuture(((PersistentRepr) whole)
                .update(
                        event.sequenceNumber(),
                        event.persistenceId(),
                        false,
                        ActorRef.noSender(),
                        ((PersistentRepr) whole).writerUuid()));
    }

    private CompletionStage<PersistentRepr> current(Event event, Object payload) {
        PersistentRepr repr = PersistentRepr.apply(
                        payload,
                        event.sequenceNumber(),
                        event.persistenceId(),
                        event.manifest(),
                        false,
                        ActorRef.noSender(),
                        event.writer())
                .withTimestamp(Microseconds.toMillis(event.timestamp()));
        return event.metadata().isPresent()
                ? payloads.deserialize(event.metadata().get()).thenApply(repr::withMetadata)
                : CompletableFuture.completedFuture(repr);
    }
}
