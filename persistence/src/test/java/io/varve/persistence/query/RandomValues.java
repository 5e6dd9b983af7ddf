package io.varve.persistence.query;

import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pekko.persistence.query.TimestampOffset;
import software.amazon.awssdk.core.SdkBytes;

/** Values of all shapes, the same ones for the same seed. */
public final class RandomValues {
    private final Random random;

    public RandomValues(long seed) {
        this.random = new Random(seed);
    }

    public PublishedEvents publishedEvents() {
        String persistenceId = text();
        return new PublishedEvents(Stream.generate(() -> event(persistenceId))
                .limit(1 + random.nextInt(5))
                .toList());
    }

    public SliceOffsets sliceOffsets() {
        SliceOffsets offsets = SliceOffsets.EMPTY;
        for (int i = random.nextInt(20); i > 0; i--) {
            int slice = random.nextInt(1024);
            offsets = random.nextBoolean()
                    ? offsets.plus(slice, timestampOffset())
                    : offsets.plus(text(), slice, timestampOffset());
        }
        for (int i = random.nextInt(20); i > 0; i--) {
            int min = random.nextInt(1024);
            offsets = offsets.withFloor(new SliceRange(text(), min, min + random.nextInt(1024 - min)), instant());
        }
        return offsets;
    }

    public EventMetadata eventMetadata() {
        int parts = random.nextInt(4);
        return new EventMetadata(
                perhaps(this::text),
                Set.copyOf(Stream.generate(this::text).limit(random.nextInt(4)).toList()),
                parts == 0 ? 0 : 1 + random.nextInt(parts),
                parts);
    }

    private TimestampOffset timestampOffset() {
        Map<String, Long> seen = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            seen.put(text(), number());
        }
        return SliceOffsets.timestampOffset(instant(), instant(), seen);
    }

    private Event event(String persistenceId) {
        return new Event(
                persistenceId,
                number(),
                payload(),
                text(),
                text(),
                perhaps(this::payload),
                Set.copyOf(Stream.generate(this::text).limit(random.nextInt(4)).toList()),
                number(),
                perhaps(this::batch),
                perhaps(this::instant),
                random.nextBoolean());
    }

    private Event.Batch batch() {
        int lastIndex = random.nextInt(1_000);
        return new Event.Batch(random.nextInt(lastIndex + 1), lastIndex, perhaps(this::text));
    }

    private Payload payload() {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return new Payload(SdkBytes.fromByteArrayUnsafe(bytes), random.nextInt(), text());
    }

    private Instant instant() {
        return Instant.ofEpochSecond(random.nextLong() >> 30, random.nextInt(1_000_000_000));
    }

    /** Of any length, now and then negative. */
    private long number() {
        return random.nextLong() >> random.nextInt(64);
    }

    /** Of any characters, those beyond 16 bits and those that others use as separators included. */
    private String text() {
        return random.ints(random.nextInt(20), 0, 0x11_0000)
                .map(character -> random.nextBoolean() ? character % 0x80 : character)
                .filter(character -> character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .append(random.nextBoolean() ? ";|" : "")
                .toString();
    }

    private <T> Optional<T> perhaps(Supplier<T> value) {
        return random.nextBoolean() ? Optional.of(value.get()) : Optional.empty();
    }
}
