package io.varve.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The instances of an entity, and until when one must not delete because of another. */
final class Presences {
    private static final Duration CHECK_WRITER_AFTER = Duration.ofSeconds(5).plusMillis(100);
    /** Longer than any operation takes, with a node that stands still and messages that are late. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    /**
     * Until when others must not delete because of an instance.
     *
     * @param until what it last knew of the entity may be as late as this, less {@code check-writer-after}: the README's exception
     * @param atomicWriteUntil until then an atomic write of several events may arrive that it has given up
     * @param writes whether a write is under way
     * @param left whether it begins nothing any more
     */
    private record Presence(Node node, long until, long atomicWriteUntil, boolean writes, boolean left) {
        boolean isInTheWay(long now) {
            return atomicWriteUntil >= now || (node.isAlive() && until >= now);
        }
    }

    /** When each instance has last done something. */
    private final Map<String, Long> active = new HashMap<>();

    private final Map<String, Presence> presences = new HashMap<>();
    /** An instance recovers: what it knows in the end can be as new as that. */
    void recovers(Instance instance, long now) {
        active.put(instance.name(), now);
        presences.put(instance.name(), new Presence(instance.node(), now + LONGEST.toNanos(), 0, false, false));
    }

    /** An instance writes: what it knows of others is not newer than the beginning of a write that is one request for one event. */
    void writes(Instance instance, boolean oneRequest, long now) {
        active.put(instance.name(), now);
        presences.put(
                instance.name(),
                new Presence(
                        instance.node(),
                        now + (oneRequest ? CHECK_WRITER_AFTER : LONGEST).toNanos(),
                        oneRequest ? 0 : now + LONGEST.toNanos(),
                        true,
                        false));
    }

    /** An instance has done something, and waits. A transaction that was acknowledged has a token, and does not arrive twice. */
    void rests(Instance instance, long now) {
        active.put(instance.name(), now);
        presences.put(
                instance.name(), new Presence(instance.node(), now + CHECK_WRITER_AFTER.toNanos(), 0, false, false));
    }

    /** Somebody who will not write reads the entity on a node, and instances there know what the node knows. */
    void visited(Instance visitor, long now) {
        active.put(visitor.name(), now);
        presences.replaceAll((name, old) -> !old.left && old.node.equals(visitor.node())
                ? new Presence(
                        old.node, Math.max(old.until, now + LONGEST.toNanos()), old.atomicWriteUntil, old.writes, false)
                : old);
    }

    /** A write of an instance has ended, well or not. */
    void hasWritten(String instance) {
        presences.computeIfPresent(
                instance,
                (name, old) -> new Presence(old.node, old.left ? 0 : old.until, old.atomicWriteUntil, false, old.left));
    }

    /** An instance will not begin anything any more. */
    void leaves(String instance) {
        presences.computeIfPresent(
                instance,
                (name, old) ->
                        new Presence(old.node, old.writes ? old.until : 0, old.atomicWriteUntil, old.writes, true));
    }

    /** Whether an instance may delete: no other one is there that would notice too late. */
    boolean isAlone(String instance, long now) {
        return presences.entrySet().stream()
                .allMatch(other ->
                        other.getKey().equals(instance) || !other.getValue().isInTheWay(now));
    }

    /** Whether another instance has done something not long ago. */
    boolean anotherWasActive(String instance, long now) {
        return active.entrySet().stream()
                .anyMatch(other -> !other.getKey().equals(instance) && other.getValue() >= now - LONGEST.toNanos());
    }
}
