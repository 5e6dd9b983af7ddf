package io.varve.http;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks names up on a thread of its own: the JDK blocks, and must not block the connections.
 *
 * <p>A name that no longer resolves, or not in time, keeps the addresses of its last lookup for a while: servers outlive an outage
 * of their names. Whoever answers there must still prove the name, by TLS.
 */
final class NameLookups extends AddressResolverGroup<InetSocketAddress> {
    private static final Logger LOG = LoggerFactory.getLogger(NameLookups.class);
    private static final Duration LATE = Duration.ofSeconds(1);

    private final Map<String, Known> known = new ConcurrentHashMap<>(); // as many as the client has servers
    private final Executor thread;
    private final Names names;
    private final Duration keep;
    private final Duration late;
    private final LongSupplier nanoTime;

    /** Finds the addresses of a name, at least one; blocks. */
    interface Names {
        InetAddress[] addresses(String name) throws UnknownHostException;
    }

    NameLookups(Executor thread, Names names, Duration keep) {
        this(thread, names, keep, LATE, System::nanoTime);
    }

    /** Addresses are kept so long, and used instead of a lookup that takes longer than {@code late}. */
    NameLookups(Executor thread, Names names, Duration keep, Duration late, LongSupplier nanoTime) {
        this.thread = thread;
        this.names = names;
        this.keep = keep;
        this.late = late;
        this.nanoTime = nanoTime;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor connecting) {
        return new InetNameResolver(connecting) {
            @Override
            protected void doResolve(String name, Promise<InetAddress> address) {
                thread.execute(() -> lookUp(name, address));
                if (known.containsKey(name) && !address.isDone()) {
                    Future<?> timer = connecting.schedule(
                            () -> lookupIsLate(name, address), late.toNanos(), TimeUnit.NANOSECONDS);
                    address.addListener(done -> timer.cancel(false));
                }
            }

            @Override
            protected void doResolveAll(String name, Promise<List<InetAddress>> addresses) {
                throw new UnsupportedOperationException("a connection has one address");
            }
        }.asAddressResolver();
    }

    private void lookUp(String name, Promise<InetAddress> address) {
        try {
            InetAddress[] found = names.addresses(name);
            if (!keep.isZero()) {
                Known before = known.put(name, new Known(List.of(found), nanoTime.getAsLong()));
                if (before != null && before.isUsed()) {
                    LOG.info("The name {} resolves again.", name);
                }
            }
            address.trySuccess(found[0]);
        } catch (UnknownHostException | RuntimeException e) {
            useLast(name, address, e);
        }
    }

    private void useLast(String name, Promise<InetAddress> address, Exception why) {
        Known last = known.get(name);
        if (last == null) {
            address.tryFailure(why);
        } else if (isTooOld(last)) {
            UnknownHostException tooOld = new UnknownHostException(
                    "The name %s does not resolve (%s), and its last addresses are older than %d s (http.keep-addresses)"
                            .formatted(name, why.getMessage(), keep.toSeconds()));
            tooOld.initCause(why);
            address.tryFailure(tooOld);
        } else {
            use(name, last, address, String.valueOf(why.getMessage()));
        }
    }

    /** The lookup goes on, and counts when it ends. */
    private void lookupIsLate(String name, Promise<InetAddress> address) {
        Known last = known.get(name);
        if (last != null && !isTooOld(last)) {
            use(name, last, address, "no answer within " + late.toMillis() + " ms");
        }
    }

    private void use(String name, Known last, Promise<InetAddress> address, String why) {
        if (last.isFirstUse()) {
            LOG.warn(
                    "The name {} does not resolve ({}). New connections use the addresses that it had {} s ago, until they"
                            + " are {} s old (http.keep-addresses).",
                    name,
                    why,
                    age(last).toSeconds(),
                    keep.toSeconds());
        }
        address.trySuccess(last.next());
    }

    private boolean isTooOld(Known last) {
        return age(last).compareTo(keep) > 0;
    }

    private Duration age(Known last) {
        return Duration.ofNanos(nanoTime.getAsLong() - last.foundAt);
    }

    /** The addresses that a name had when it was looked up last. */
    private static final class Known {
        private final List<InetAddress> addresses;
        private final long foundAt;
        private final AtomicBoolean used = new AtomicBoolean();
        private final AtomicInteger turn = new AtomicInteger();

        Known(List<InetAddress> addresses, long foundAt) {
            this.addresses = addresses;
            this.foundAt = foundAt;
        }

        /** Whether they have been used although the name did not resolve. */
        boolean isUsed() {
            return used.get();
        }

        boolean isFirstUse() {
            return used.compareAndSet(false, true);
        }

        /** The next one: the last may not answer any more. */
        InetAddress next() {
            return addresses.get(Math.floorMod(turn.getAndIncrement(), addresses.size()));
        }
    }
}
