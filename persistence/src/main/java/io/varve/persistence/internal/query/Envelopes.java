package io.varve.persistence.internal.query;

import io.varve.persistence.internal.serialization.EventCodec;
import io.varve.persistence.query.EventMetadata;
import io.varve.store.Slices;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.EventAdapter;
import org.apache.pekko.persistence.journal.EventAdapters;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.OptionConverters;

/** Turns stored events into Pekko's envelopes: deserialized, and through the journal's event adapters. */
final class Envelopes {
    private final EventCodec codec;
    private final Supplier<EventAdapters> adapters;

    Envelopes(EventCodec codec, Supplier<EventAdapters> adapters) {
        this.codec = codec;
        this.adapters = adapters;
    }

    /** The envelopes of an event: as many as its adapter makes of it. */
    CompletionStage<List<EventEnvelope>> untyped(Event event, Offset offset) {
        return codec.decode(event)
                .thenApply(repr -> adapted(repr).stream()
                        .map(payload -> new EventEnvelope(
                                offset,
                                event.persistenceId(),
                                event.sequenceNumber(),
                                payload,
                                Microseconds.toMillis(event.timestamp()),
                                repr.metadata()))
                        .toList());
    }

    /** The typed envelopes of an event: as many as its adapter makes of it. */
    <E> CompletionStage<List<org.apache.pekko.persistence.query.typed.EventEnvelope<E>>> typed(
            Event event, Offset offset) {
        return codec.decode(event).thenApply(repr -> {
            List<Object> payloads = adapted(repr);
            return IntStream.rangeClosed(1, payloads.size())
                    .mapToObj(part -> Envelopes.<E>typed(
                            event,
                            offset,
                            Option.apply(payloads.get(part - 1)),
                            metadata(event, repr, part, payloads.size())))
                    .toList();
        });
    }

    /** As {@link #typed}, but one without event where an adapter drops it. */
    <E> CompletionStage<List<org.apache.pekko.persistence.query.typed.EventEnvelope<E>>> typedOrDropped(
            Event event, Offset offset) {
        return this.<E>typed(event, offset)
                .thenApply(made -> made.isEmpty()
                        ? List.of(typed(
                                event, offset, Option.empty(), new EventMetadata(Optional.empty(), event.tags(), 0, 0)))
                        : made);
    }

    private static EventMetadata metadata(Event event, PersistentRepr repr, int part, int parts) {
        return new EventMetadata(OptionConverters.toJava(repr.metadata()), event.tags(), part, parts);
    }

    @SuppressWarnings("unchecked") // the caller of a query says of which type its events are
    private static <E> org.apache.pekko.persistence.query.typed.EventEnvelope<E> typed(
            Event event, Offset offset, Option<Object> payload, EventMetadata metadata) {
        Option<Object> held = metadata.equals(EventMetadata.NONE) ? Option.empty() : Option.apply(metadata);
        return new org.apache.pekko.persistence.query.typed.EventEnvelope<>(
                offset,
                event.persistenceId(),
                event.sequenceNumber(),
                (Option<E>) payload,
                Microseconds.toMillis(event.timestamp()),
                held,
                Slices.entityType(event.persistenceId()),
                Slices.of(event.persistenceId()));
    }

    private List<Object> adapted(PersistentRepr repr) {
        Object payload = repr.payload();
        EventAdapter adapter = adapters.get().get(payload.getClass());
        try {
            return CollectionConverters.asJava(
                    adapter.fromJournal(payload, repr.manifest()).events());
        } catch (RuntimeException | LinkageError e) {
            throw new VarveException(
                    "Event " + repr.sequenceNr() + " of '" + repr.persistenceId()
                            + "' cannot be adapted: the event adapter for "
                            + payload.getClass().getName() + " failed (manifest '" + repr.manifest() + "').",
                    e);
        }
    }
}
