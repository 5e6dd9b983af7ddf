package io.varve.persistence.internal.publish;

import io.varve.persistence.internal.serialization.BinaryReader;
import io.varve.persistence.internal.serialization.BinaryWriter;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import software.amazon.awssdk.core.SdkBytes;

/**
 * The bytes of published events: the persistence id once, then event by event. A flag says whether an optional part follows. After the events, where
 * the version before this one does not look any more, is the number of the message, if it has one.
 */
public final class PublishedEventsFormat {
    private static final int METADATA = 1;
    private static final int BATCH = 1 << 1;
    private static final int BATCH_ID = 1 << 2;
    private static final int EXPIRY = 1 << 3;
    private static final int LEGACY = 1 << 4;

    /** More than all flags, numbers and lengths of an event, or of the message itself. */
    private static final int NUMBERS = 128;
    /** More than the length before a text, and the most that UTF-8 makes of one of its characters. */
    private static final int LENGTH = 10;

    private static final int CHARACTER = 3;

    private PublishedEventsFormat() {}

    /** A number of bytes that is quickly found and not exceeded. */
    public static long sizeAtMost(PublishedEvents published) {
        long size = NUMBERS + sizeAtMost(published.persistenceId());
        for (Event event : published.events()) {
            size += NUMBERS
                    + sizeAtMost(event.payload())
                    + sizeAtMost(event.writer())
                    + sizeAtMost(event.manifest())
                    + sizeAtMost(event.batch().flatMap(Event.Batch::id).orElse(""));
            for (String tag : event.tags()) {
                size += sizeAtMost(tag);
            }
            if (event.metadata().isPresent()) {
                size += sizeAtMost(event.metadata().get());
            }
        }
        return size;
    }

    private static long sizeAtMost(Payload payload) {
        return payload.bytes().asByteArrayUnsafe().length + sizeAtMost(payload.manifest());
    }

    private static long sizeAtMost(String text) {
        return LENGTH + (long) CHARACTER * text.length();
    }

    public static void write(PublishedEvents published, BinaryWriter out) {
        out.text(published.persistenceId());
        out.number(published.events().size());
        published.events().forEach(event -> write(event, out));
        published.number().ifPresent(number -> {
            out.signed(number.publisher());
            out.number(number.number());
        });
    }

    public static PublishedEvents read(BinaryReader in) {
        String persistenceId = in.text();
        int count = in.count();
        List<Event> events = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            events.add(event(persistenceId, in));
        }
        return new PublishedEvents(
                events, in.hasMore() ? Optional.of(new PublishedNumber(in.signed(), in.number())) : Optional.empty());
    }

    private static void write(Event event, BinaryWriter out) {
        out.oneByte(flags(event));
        out.number(event.sequenceNumber());
        out.signed(event.timestamp());
        write(event.payload(), out);
        out.text(event.writer());
        out.text(event.manifest());
        out.number(event.tags().size());
        new TreeSet<>(event.tags()).forEach(out::text);
        event.metadata().ifPresent(metadata -> write(metadata, out));
        event.batch().ifPresent(batch -> {
            out.number(batch.index());
            out.number(batch.lastIndex());
            batch.id().ifPresent(out::text);
        });
        event.expiry().ifPresent(out::instant);
    }

    private static int flags(Event event) {
        return (event.metadata().isPresent() ? METADATA : 0)
                | (event.batch().isPresent() ? BATCH : 0)
                | (event.batch().flatMap(Event.Batch::id).isPresent() ? BATCH_ID : 0)
                | (event.expiry().isPresent() ? EXPIRY : 0)
                | (event.legacy() ? LEGACY : 0);
    }

    private static Event event(String persistenceId, BinaryReader in) {
        int flags = in.oneByte();
        long sequenceNumber = in.number();
        long timestamp = in.signed();
        Payload payload = payload(in);
        String writer = in.text();
        String manifest = in.text();
        Set<String> tags = tags(in);
        Optional<Payload> metadata = (flags & METADATA) == 0 ? Optional.empty() : Optional.of(payload(in));
        Optional<Event.Batch> batch = (flags & BATCH) == 0 ? Optional.empty() : Optional.of(batch(flags, in));
        Optional<Instant> expiry = (flags & EXPIRY) == 0 ? Optional.empty() : Optional.of(in.instant());
        return new Event(
                persistenceId,
                sequenceNumber,
                payload,
                writer,
                manifest,
                metadata,
                tags,
                timestamp,
                batch,
                expiry,
                (flags & LEGACY) != 0);
    }

    private static Event.Batch batch(int flags, BinaryReader in) {
        return new Event.Batch(
                in.integer(), in.integer(), (flags & BATCH_ID) == 0 ? Optional.empty() : Optional.of(in.text()));
    }

    public static Set<String> tags(BinaryReader in) {
        int count = in.count();
        Set<String> tags = new HashSet<>();
        for (int i = 0; i < count; i++) {
            tags.add(in.text());
        }
        return Set.copyOf(tags);
    }

    public static void write(Payload payload, BinaryWriter out) {
        out.signed(payload.serializerId());
        out.text(payload.manifest());
        out.bytes(payload.bytes().asByteArrayUnsafe());
    }

    public static Payload payload(BinaryReader in) {
        int serializerId = in.signedInteger();
        String manifest = in.text();
        return new Payload(SdkBytes.fromByteArrayUnsafe(in.bytes()), serializerId, manifest);
    }
}
