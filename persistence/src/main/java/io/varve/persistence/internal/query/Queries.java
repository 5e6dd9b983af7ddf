package io.varve.persistence.internal.query;

import com.typesafe.config.Config;
import io.varve.persistence.internal.plugin.GivenConfig;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.persistence.internal.plugin.PluginSettings;
import io.varve.persistence.internal.plugin.TypedActors;
import io.varve.persistence.internal.publish.JournalTopics;
import io.varve.persistence.internal.publish.Subscriptions;
import io.varve.persistence.internal.publish.TopicSubscriptions;
import io.varve.persistence.internal.serialization.EventCodec;
import io.varve.store.SettingsException;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.entity.PersistenceIds;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.slice.SliceBacklog;
import io.varve.store.internal.slice.SliceIndex;
import io.varve.store.internal.table.TaggedTypesReader;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.Sequence;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All queries of a read journal, for both of its languages. */
public final class Queries {
    private static final Logger LOG = LoggerFactory.getLogger(Queries.class);
    private static final String JOURNAL_FALLBACK = "pekko.persistence.journal-plugin-fallback";
    private static final int DECODED_AHEAD = 4;
    private static final int IDS_PAGE = 1_000;

    private final ReadJournalSettings settings;
    private final JournalKeys keys;
    private final InstantSource clock;
    private final EventReader events;
    private final TaggedTypesReader taggedTypes;
    private final SliceStreams slices;
    private final SliceBacklog backlog;
    private final EntityStreams entities;
    private final Envelopes envelopes;

    public Queries(ExtendedActorSystem system, Config section, String path) {
        Config config = GivenConfig.merged(system, path);
        this.settings = ReadJournalSettings.from(section, path, config);
        PluginClients clients = PluginClients.get(system);
        Executor workers = system.dispatchers().lookup(settings.clientDispatcher());
        Gateway gateway = clients.connect(config, settings.section(), path, UnaryOperator.identity(), workers)
                .gateway();
        this.clock = clients.clock();
        checkBacktracking(path, clients, config);
        String table = settings.store().table();
        this.keys = new JournalKeys(settings.store().journalName());
        this.events = new EventReader(gateway, settings.store(), clock);
        this.taggedTypes = new TaggedTypesReader(gateway, table, keys);
        Subscriptions subscriptions = subscriptions(settings, system);
        this.entities = new EntityStreams(
                events,
                new PersistenceIds(gateway, table, keys, settings.entities()),
                settings.slices().maxFailures(),
                gateway::after,
                subscriptions);
        SliceIndex index = new SliceIndex(gateway, table, keys, settings.store().indexShards());
        this.backlog = new SliceBacklog(index, clock);
        this.slices = new SliceStreams(index, events, settings.slices(), clock, subscriptions);
        this.envelopes = new Envelopes(
                new EventCodec(system), () -> Persistence.get(system).adaptersFor(settings.writePlugin(), config));
    }

    /** A write can be that long under way, and its event be in the index later still. */
    private void checkBacktracking(String path, PluginClients clients, Config config) {
        Config journal = config.getConfig(settings.writePlugin()).withFallback(config.getConfig(JOURNAL_FALLBACK));
        Duration writing = PluginSettings.longestOperation(
                clients.gatewaySettings(config, journal, settings.writePlugin()), journal);
        Duration behind = settings.slices().backtrackingBehind();
        if (settings.store().sliceIndex() && writing.compareTo(behind) > 0) {
            LOG.warn(
                    "{}.backtracking.behind-current-time ({} ms) is shorter than operation-timeout of {} ({} ms): an event"
                            + " whose write takes that long can be missed by a query that is restarted meanwhile. Raise"
                            + " backtracking.behind-current-time, and backtracking.window to four times that.",
                    path,
                    behind.toMillis(),
                    settings.writePlugin(),
                    writing.toMillis());
        }
    }

    private static Subscriptions subscriptions(ReadJournalSettings settings, ExtendedActorSystem system) {
        return settings.publish().enabled() && TypedActors.arePresent()
                ? new TopicSubscriptions(system, JournalTopics.of(settings.store(), settings.publish()))
                : Subscriptions.NONE;
    }

    /** Events of slices. */
    public <E> Source<org.apache.pekko.persistence.query.typed.EventEnvelope<E>, NotUsed> eventsBySlices(
            String entityType, int minSlice, int maxSlice, Offset offset, boolean live) {
        checkIndex();
        if (offset instanceof SliceSourceProbe probe) {
            probe.answer(reads(entityType));
            return Source.empty();
        }
        return slices.events(Set.of(new SliceRange(entityType, minSlice, maxSlice)), offset, live)
                .mapAsync(DECODED_AHEAD, pair -> envelopes.<E>typed(pair.first(), pair.second()))
                .mapConcat(adapted -> adapted);
    }

    /** As the live {@link #eventsBySlices}, with an envelope without event for each that its event adapter drops. */
    public <E> Source<org.apache.pekko.persistence.query.typed.EventEnvelope<E>, NotUsed> eventsBySlicesAndDropped(
            String entityType, int minSlice, int maxSlice, Offset offset) {
        checkIndex();
        return slices.events(Set.of(new SliceRange(entityType, minSlice, maxSlice)), offset, true)
                .mapAsync(DECODED_AHEAD, pair -> envelopes.<E>typedOrDropped(pair.first(), pair.second()))
                .mapConcat(adapted -> adapted);
    }

    /** What {@link #eventsBySlices} of an entity type reads. */
    public SliceSourceProbe.Answer reads(String entityType) {
        return new SliceSourceProbe.Answer(
                entityType,
                Slices.NUMBER / settings.store().indexShards(),
                settings.slices().backtrackingWindow());
    }

    /** What consumers of {@link #eventsBySlices} have yet to read. */
    public CompletionStage<SliceBacklog> backlog() {
        checkIndex();
        return events.ready().thenApply(ready -> backlog);
    }

    /** Events with a tag. */
    public Source<EventEnvelope, NotUsed> eventsByTag(String tag, Offset offset, boolean live) {
        checkIndex();
        Source<Pair<Event, Offset>, NotUsed> stored = settings.taggedTypes().isEmpty()
                ? slices.eventsOfTypes(() -> taggedTypes.taggedTypes().thenApply(Queries::ranges), offset, live)
                : slices.events(ranges(settings.taggedTypes()), offset, live);
        return stored.filter(pair -> pair.first().tags().contains(tag))
                .mapAsync(DECODED_AHEAD, pair -> envelopes.untyped(pair.first(), pair.second()))
                .mapConcat(adapted -> adapted);
    }

    private static Set<SliceRange> ranges(Set<String> entityTypes) {
        return entityTypes.stream().map(SliceRange::all).collect(Collectors.toUnmodifiableSet());
    }

    private void checkIndex() {
        if (!settings.store().sliceIndex()) {
            throw new SettingsException(
                    settings.writePlugin() + ".slice-index.enabled",
                    "is off, so that events are not in the index that queries by slice and by tag read: set it to on");
        }
    }

    /** Events of an entity. */
    public Source<EventEnvelope, NotUsed> eventsByPersistenceId(
            String persistenceId, long from, long to, boolean live) {
        keys.check(persistenceId);
        Source<Event, NotUsed> stored = live
                ? entities.events(persistenceId, from, to, settings.slices().refreshInterval())
                : entities.events(persistenceId, from, to);
        return stored.mapAsync(DECODED_AHEAD, event -> envelopes.untyped(event, new Sequence(event.sequenceNumber())))
                .mapConcat(adapted -> adapted);
    }

    /** Events of an entity that are stored now, in typed envelopes. */
    public <E> Source<org.apache.pekko.persistence.query.typed.EventEnvelope<E>, NotUsed> typedEventsByPersistenceId(
            String persistenceId, long from, long to) {
        return entities.events(persistenceId, from, to)
                .mapAsync(DECODED_AHEAD, event -> envelopes.<E>typed(event, EnvelopeOffsets.of(event, clock)))
                .mapConcat(adapted -> adapted);
    }

    /** All entities. */
    public Source<String, NotUsed> persistenceIds(boolean live) {
        return live ? entities.entities(settings.entitiesInterval()) : entities.entities(Optional.empty(), IDS_PAGE);
    }

    /** Some entities, after an id of a former page. */
    public Source<String, NotUsed> persistenceIds(Optional<String> after, long limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", but must be greater than zero.");
        }
        return entities.entities(after, (int) Math.min(limit, IDS_PAGE)).take(limit);
    }

    /** The highest sequence number of an entity; empty if it is unknown. */
    public CompletionStage<Optional<Long>> lastSequenceNumber(String persistenceId) {
        return events.lastSequenceNumber(persistenceId)
                .thenApply(last -> last == 0 ? Optional.empty() : Optional.of(last));
    }

    /** When an event was stored; empty if it is not there, or an older version stored it without a time. */
    public CompletionStage<Optional<Instant>> timestampOf(String persistenceId, long sequenceNumber) {
        return events.event(persistenceId, sequenceNumber)
                .thenApply(event -> event.map(Event::timestamp)
                        .filter(timestamp -> timestamp > 0)
                        .map(Microseconds::toInstant));
    }

    /** When events were stored, of those that are there and have a time. */
    public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> ids) {
        return events.events(ids)
                .thenApply(found -> found.stream()
                        .filter(event -> event.timestamp() > 0)
                        .collect(Collectors.toMap(
                                event -> new EventId(event.persistenceId(), event.sequenceNumber()),
                                event -> Microseconds.toInstant(event.timestamp()))));
    }

    /** Whether the first event of an entity is still replayed. */
    public CompletionStage<Boolean> holdsFirstEvent(String persistenceId) {
        return events.holdsFirst(persistenceId);
    }

    /** One event. */
    public <E> CompletionStage<org.apache.pekko.persistence.query.typed.EventEnvelope<E>> loadEnvelope(
            String persistenceId, long sequenceNumber) {
        return events.event(persistenceId, sequenceNumber)
                .thenCompose(found -> {
                    Event event = found.orElseThrow(() -> new NoSuchElementException(
                            "Event " + sequenceNumber + " of '" + persistenceId + "' does not exist."));
                    return envelopes.<E>typed(event, EnvelopeOffsets.of(event, clock));
                })
                .thenApply(adapted -> adapted.stream()
                        .findFirst()
                        .orElseThrow(() -> new NoSuchElementException("Event " + sequenceNumber + " of '"
                                + persistenceId + "' is dropped by its event adapter.")));
    }
}
