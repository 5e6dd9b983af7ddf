package io.varve.simulation;

import java.util.List;
import java.util.stream.Stream;

/** The faults that the simulation must find. */
final class Mutants {
    private static final String OFFSET = "io.varve.store.internal.offset.";

    private Mutants() {}

    static List<Mutant> all() {
        return Stream.of(JournalMutants.all(), QueryMutants.all(), projections())
                .flatMap(List::stream)
                .toList();
    }

    static Mutant store(String name, String type, String before, String after, String breaks, int within) {
        return new Mutant(name, "store", type, before, after, breaks, within);
    }

    private static List<Mutant> projections() {
        return List.of(
                store(
                        "late-rewind-replaces-rows",
                        "io.varve.store.internal.offset.ByHand",
                        ".conditionExpression(IF_EARLIER)",
                        ".conditionExpression(\"attribute_not_exists(nothing) OR epoch < :epoch\")",
                        "a request of a rewind that arrives late takes back what was processed since",
                        20_000),
                store(
                        "fence-of-a-row-dropped",
                        OFFSET + "OffsetRows",
                        "+ \" (attribute_not_exists(seq_nr) OR \" + lower + \" OR (expiry <= :now AND ts < :ts))\")",
                        "+ \" attribute_not_exists(nothing)\")",
                        "two instances store the effect of one event",
                        50),
                store(
                        "fence-of-an-epoch-dropped",
                        OFFSET + "OffsetRows",
                        "\"(attribute_not_exists(epoch) OR epoch <= :epoch) AND\"",
                        "\"\"",
                        "a slow transaction undoes an offset that was set",
                        1_000),
                store(
                        "rows-not-taken-back",
                        OFFSET + "ByHand",
                        "item -> !item.has(OffsetRows.TIMESTAMP) || OffsetRows.timestamp(item) >= from",
                        "item -> item.has(\"nothing\")",
                        "a rewind has no effect",
                        200),
                store(
                        "places-of-any-epoch",
                        OFFSET + "SliceRows",
                        "? epoch.getAsLong() < set.epoch()",
                        "? epoch.getAsLong() < 0",
                        "a slow flush undoes a rewind",
                        20_000),
                projection(
                        "late-event-does-not-hold-its-place",
                        "SliceProgress",
                        "return oldest < place.timestamp() ? new SliceOffset(oldest, Map.of(), place.setTo()) : place;",
                        "return place;",
                        "a late event whose handler fails is lost",
                        20_000),
                projection(
                        "place-passes-open-events",
                        "SliceProgress",
                        "next != null && next.isComplete(); next = open.peek()",
                        "next != null; next = open.peek()",
                        "a place is stored that is ahead of an event under way",
                        20_000),
                projection(
                        "gap-not-filled",
                        "EntityProgress",
                        "if (position.sequenceNumber() == number + 1) {",
                        "if (position.sequenceNumber() > number) {",
                        "an event is processed before its predecessor",
                        20_000));
    }

    private static Mutant projection(String name, String type, String before, String after, String breaks, int within) {
        return new Mutant(
                name, "projection", "io.varve.projection.internal.progress." + type, before, after, breaks, within);
    }
}
