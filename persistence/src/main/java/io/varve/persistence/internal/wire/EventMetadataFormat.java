package io.varve.persistence.internal.wire;

import io.varve.persistence.internal.publish.PublishedEventsFormat;
import io.varve.persistence.internal.serialization.BinaryReader;
import io.varve.persistence.internal.serialization.BinaryWriter;
import io.varve.persistence.internal.serialization.Payloads;
import io.varve.persistence.query.EventMetadata;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Payload;
import java.io.NotSerializableException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;

/**
 * The bytes of an event's metadata: which part of how many it is, the tags, then the user's own metadata if there is any, as its
 * serializer makes them.
 *
 * <p>Pekko calls its serializers synchronously, so an asynchronous one of the user's metadata is waited for here.
 */
final class EventMetadataFormat {
    private static final int NONE = 0;
    private static final int SOME = 1;

    private EventMetadataFormat() {}

    static void write(EventMetadata value, Payloads payloads, BinaryWriter out) {
        out.number(value.part());
        out.number(value.parts());
        out.number(value.tags().size());
        new TreeSet<>(value.tags()).forEach(out::text);
        if (value.metadata().isEmpty()) {
            out.oneByte(NONE);
            return;
        }
        Object metadata = value.metadata().get();
        out.oneByte(SOME);
        try {
            PublishedEventsFormat.write(
                    payloads.serialize(metadata).toCompletableFuture().join(), out);
        } catch (CompletionException e) {
            throw new IllegalArgumentException(
                    "The metadata of an event, a " + metadata.getClass().getName() + ", cannot be serialized.",
                    Causes.unwrap(e));
        }
    }

    static EventMetadata read(BinaryReader in, Payloads payloads) throws NotSerializableException {
        int part = in.integer();
        int parts = in.integer();
        Set<String> tags = PublishedEventsFormat.tags(in);
        if (in.oneByte() == NONE) {
            return new EventMetadata(Optional.empty(), tags, part, parts);
        }
        Payload payload = PublishedEventsFormat.payload(in);
        try {
            return new EventMetadata(
                    Optional.ofNullable(
                            payloads.deserialize(payload).toCompletableFuture().join()),
                    tags,
                    part,
                    parts);
        } catch (CompletionException e) {
            NotSerializableException unreadable = new NotSerializableException(
                    "The metadata of an event cannot be deserialized (serializer " + payload.serializerId()
                            + ", manifest '" + payload.manifest()
                            + "'): register a serializer that reads it under that identifier.");
            unreadable.initCause(Causes.unwrap(e));
            throw unreadable;
        }
    }
}
