package io.varve.http;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.DefaultNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;

/** Looks names up on a thread of its own: the JDK blocks, and must not block the connections. */
final class NameLookups extends AddressResolverGroup<InetSocketAddress> {
    private final Executor thread;

    NameLookups(Executor thread) {
        this.thread = thread;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor connecting) {
        return new DefaultNameResolver(connecting) {
            @Override
            protected void doResolve(String host, Promise<InetAddress> address) {
                thread.execute(() -> lookUp(host, address));
            }

            private void lookUp(String host, Promise<InetAddress> address) {
                try {
                    super.doResolve(host, address);
                } catch (Exception e) {
                    address.tryFailure(e);
                }
            }
        }.asAddressResolver();
    }
}
