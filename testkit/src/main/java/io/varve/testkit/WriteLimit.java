package io.varve.testkit;

import io.varve.testkit.internal.capacity.ItemBytes;
import io.varve.testkit.internal.request.ItemOperation;
import io.varve.testkit.internal.request.ParsedRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What a partition of DynamoDB takes: so many write units a second, with the units of one second at once. A request that needs more
 * than is left is throttled, and writes nothing.
 *
 * <p>A put costs its item's size, doubled in a transaction; any other write counts as one of an item of 1 KB. Indexes are left out.
 */
public final class WriteLimit {
    private static final int UNIT = 1024;

    private final int unitsPerSecond;
    private final InstantSource clock;
    private final UnaryOperator<String> partitionOf;
    private final Map<String, Bucket> buckets = new HashMap<>();
    private int throttled;

    private WriteLimit(int unitsPerSecond, InstantSource clock, UnaryOperator<String> partitionOf) {
        this.unitsPerSecond = unitsPerSecond;
        this.clock = clock;
        this.partitionOf = partitionOf;
    }

    /** A limit for each partition key, as if each were in a partition of its own: the best that DynamoDB can do. */
    public static WriteLimit perSecond(int units) {
        return new WriteLimit(units, InstantSource.system(), key -> key);
    }

    /** The same limit for each of so many partitions, which the keys are spread over by their hash. */
    public WriteLimit partitions(int number) {
        return new WriteLimit(
                unitsPerSecond, clock, key -> Integer.toString(Math.floorMod(key.hashCode() * 0x9E3779B1, number)));
    }

    /** The same limit by another clock; one that stands still leaves each partition the units of one second. */
    public WriteLimit clock(InstantSource other) {
        return new WriteLimit(unitsPerSecond, other, partitionOf);
    }

    /** Lets a request go on, or throttles it. */
    public Fault fault() {
        Fault throttle = Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED);
        return new Fault(true, (exchange, next) -> {
            if (takes(units(exchange.request()))) {
                next.run();
            } else {
                throttle.apply(exchange);
            }
        });
    }

    /** How many requests were throttled so far. */
    public synchronized int throttled() {
        return throttled;
    }

    private Map<String, Integer> units(ParsedRequest request) {
        int factor = request.operation().startsWith("Transact") ? 2 : 1;
        Map<String, Integer> units = new HashMap<>();
        request.itemOperations().stream()
                .filter(item -> item.kind().writes())
                .forEach(item -> request.partitionKey(item)
                        .ifPresent(key -> units.merge(partitionOf.apply(key), factor * units(item), Integer::sum)));
        return units;
    }

    private static int units(ItemOperation item) {
        int bytes = item.kind() == ItemOperation.Kind.PUT ? ItemBytes.ofJson(item.attributes()) : 1;
        return (bytes + UNIT - 1) / UNIT;
    }

    private synchronized boolean takes(Map<String, Integer> units) {
        Instant now = clock.instant();
        boolean enough = units.entrySet().stream()
                .allMatch(each -> bucket(each.getKey(), now).has(each.getValue()));
        if (enough) {
            units.forEach((partition, needed) -> bucket(partition, now).left -= needed);
        } else {
            throttled++;
        }
        return enough;
    }

    private Bucket bucket(String partition, Instant now) {
        Bucket bucket = buckets.computeIfAbsent(partition, first -> new Bucket(now));
        bucket.refill(now);
        return bucket;
    }

    /** What a partition still takes. One request may need more than a second's units: it passes when all of them are there. */
    private final class Bucket {
        private double left = unitsPerSecond;
        private Instant filled;

        Bucket(Instant filled) {
            this.filled = filled;
        }

        void refill(Instant now) {
            double seconds = Duration.between(filled, now).toNanos() / 1e9;
            if (seconds > 0) {
                left = Math.min(unitsPerSecond, left + seconds * unitsPerSecond);
                filled = now;
            }
        }

        boolean has(int units) {
            return left >= Math.min(units, unitsPerSecond);
        }
    }
}
