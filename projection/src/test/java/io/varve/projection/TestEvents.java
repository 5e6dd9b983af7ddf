package io.varve.projection;

import io.varve.persistence.query.EventMetadata;
import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.store.Slices;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;
import scala.Option;

/**
 * Events of a journal, and a source that brings those of them that a test chooses, and then ends. It is as strict as a query can
 * be: nothing before the offset comes again, unless there is a window.
 */
public final class TestEvents extends SourceProvider<Offset, EventEnvelope<String>>
        implements BySlicesSourceProvider, EntityEvents<EventEnvelope<String>> {
    private final Map<String, NavigableMap<Long, EventEnvelope<String>>> stored = new HashMap<>();
    private final List<EventEnvelope<String>> brought = new ArrayList<>();
    private final List<EventEnvelope<String>> late = new ArrayList<>();
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final int minSlice;
    private final int maxSlice;
    private final Set<EventId> dropped = new HashSet<>();
    private final Map<String, Long> deletedTo = new HashMap<>();
    private boolean skipsHoles = true;
    private Reads reads = Reads.UNKNOWN;
    private Duration window = Duration.ZERO;

    TestEvents(int minSlice, int maxSlice) {
        this.minSlice = minSlice;
        this.maxSlice = maxSlice;
    }

    /** An event whose payload is its number. */
    static EventEnvelope<String> event(String persistenceId, long number, long timestamp) {
        return EventEnvelope.create(
                SliceOffsets.timestampOffset(
                        Microseconds.toInstant(timestamp), Instant.EPOCH, Map.of(persistenceId, number)),
                persistenceId,
                number,
                Long.toString(number),
                timestamp / 1_000,
                Slices.entityType(persistenceId),
                Slices.of(persistenceId));
    }

    /** An event with the timestamp that {@link #store} gives it. */
    static EventEnvelope<String> event(String persistenceId, long number) {
        return event(persistenceId, number, timestamp(number));
    }

    /** The same event with another payload. */
    static EventEnvelope<String> withText(EventEnvelope<String> event, String text) {
        return EventEnvelope.create(
                event.offset(),
                event.persistenceId(),
                event.sequenceNr(),
                text,
                event.timestamp(),
                event.entityType(),
                event.slice());
    }

    static long timestamp(long number) {
        return number * 1_000;
    }

    /** So many persistence ids of one slice. */
    public static List<String> ofSlice(int slice, int number) {
        return ofSlice("cart", slice, number);
    }

    public static List<String> ofSlice(String entityType, int slice, int number) {
        return LongStream.iterate(0, i -> i + 1)
                .mapToObj(i -> entityType + "|" + i)
                .filter(id -> Slices.of(id) == slice)
                .limit(number)
                .toList();
    }

    TestEvents store(String persistenceId, long first, long last) {
        LongStream.rangeClosed(first, last).forEach(number -> store(event(persistenceId, number)));
        return this;
    }

    TestEvents store(EventEnvelope<String> event) {
        stored.computeIfAbsent(event.persistenceId(), id -> new TreeMap<>()).put(event.sequenceNr(), event);
        return this;
    }

    /** Stores an event that an event adapter drops when it is read. */
    TestEvents storeDropped(EventEnvelope<String> event) {
        dropped.add(id(event));
        return store(event);
    }

    /** As a deletion leaves them that has begun: they are not replayed any more, but their items are there. */
    TestEvents deleting(String persistenceId, long to) {
        deletedTo.put(persistenceId, to);
        return this;
    }

    /** Makes the source bring these, which the journal has, too. */
    TestEvents bring(Collection<EventEnvelope<String>> events) {
        events.forEach(this::store);
        brought.addAll(events);
        return this;
    }

    /** Makes the source bring these at the end, wherever it begins: they were not visible before. */
    TestEvents bringLate(Collection<EventEnvelope<String>> events) {
        events.forEach(this::store);
        late.addAll(events);
        return this;
    }

    /** As the source provider of Pekko, which can only look for each number by itself. */
    TestEvents withoutRanges() {
        skipsHoles = false;
        return this;
    }

    /** As ours, which knows how many slices are read together. */
    TestEvents withSlicesPerShard(int number) {
        reads = new Reads(reads.entityType(), OptionalInt.of(number), window);
        return this;
    }

    /** As a query, which begins some time before its offset. */
    TestEvents withWindow(Duration before) {
        window = before;
        reads = new Reads(reads.entityType(), reads.slicesPerShard(), window);
        return this;
    }

    /** As ours, which knows the entity type. */
    TestEvents withEntityType(String type) {
        reads = new Reads(Optional.of(type), reads.slicesPerShard(), window);
        return this;
    }

    @Override
    public CompletionStage<Reads> reads() {
        return CompletableFuture.completedFuture(reads);
    }

    /** What was asked: {@code a 1..3} for events, {@code a 2? b 7?} for timestamps. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    @Override
    public Source<EventEnvelope<String>, NotUsed> events(String persistenceId, long from, long to) {
        asked.add(persistenceId + " " + from + ".." + to);
        return Source.from(List.copyOf(
                stored.getOrDefault(persistenceId, new TreeMap<>()).subMap(from, true, to, true).values().stream()
                        .filter(event -> !dropped.contains(id(event)))
                        .filter(event -> event.sequenceNr() > deletedTo.getOrDefault(persistenceId, 0L))
                        .toList()));
    }

    @Override
    public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events) {
        asked.add(events.stream()
                .map(event -> event.persistenceId() + " " + event.sequenceNumber() + "?")
                .sorted()
                .collect(Collectors.joining(" ")));
        Map<EventId, Instant> found = new HashMap<>();
        for (EventId id : events) {
            EventEnvelope<String> event =
                    stored.getOrDefault(id.persistenceId(), new TreeMap<>()).get(id.sequenceNumber());
            if (event != null) {
                found.put(id, ((TimestampOffset) event.offset()).timestamp());
            }
        }
        return CompletableFuture.completedFuture(found);
    }

    @Override
    public CompletionStage<Boolean> holdsFirstEvent(String persistenceId) {
        return CompletableFuture.completedFuture(
                stored.getOrDefault(persistenceId, new TreeMap<>()).containsKey(1L)
                        && deletedTo.getOrDefault(persistenceId, 0L) == 0);
    }

    @Override
    public boolean skipsHoles() {
        return skipsHoles;
    }

    @Override
    public CompletionStage<Source<EventEnvelope<String>, NotUsed>> source(
            Supplier<CompletionStage<Optional<Offset>>> offset) {
        return offset.get()
                .thenApply(from -> Source.from(Stream.concat(
                                brought.stream()
                                        .filter(event ->
                                                isAfter(event, (SliceOffsets) from.orElse(SliceOffsets.EMPTY))),
                                late.stream())
                        .map(event -> dropped.contains(id(event)) ? withoutEvent(event) : event)
                        .toList()));
    }

    private static EventId id(EventEnvelope<String> event) {
        return new EventId(event.persistenceId(), event.sequenceNr());
    }

    private static EventEnvelope<String> withoutEvent(EventEnvelope<String> event) {
        return new EventEnvelope<>(
                event.offset(),
                event.persistenceId(),
                event.sequenceNr(),
                Option.empty(),
                event.timestamp(),
                Option.apply(new EventMetadata(Optional.empty(), Set.of(), 0, 0)),
                event.entityType(),
                event.slice());
    }

    private boolean isAfter(EventEnvelope<String> event, SliceOffsets from) {
        Instant timestamp = ((TimestampOffset) event.offset()).timestamp();
        return from.offset(event.slice())
                .map(place -> timestamp.isAfter(place.timestamp().minus(window))
                        || (timestamp.equals(place.timestamp())
                                && place.getSeen().getOrDefault(event.persistenceId(), 0L) < event.sequenceNr()))
                .orElse(true);
    }

    @Override
    public Offset extractOffset(EventEnvelope<String> envelope) {
        return envelope.offset();
    }

    @Override
    public long extractCreationTime(EventEnvelope<String> envelope) {
        return envelope.timestamp();
    }

    @Override
    public int minSlice() {
        return minSlice;
    }

    @Override
    public int maxSlice() {
        return maxSlice;
    }
}
