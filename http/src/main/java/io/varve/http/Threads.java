package io.varve.http;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The threads of a client: some serve the connections, on others the SDK takes the answers apart. */
record Threads(
        EventLoopGroup connections, ChannelFactory<? extends SocketChannel> channels, Executor answers, Runnable ending)
        implements AutoCloseable {

    /** New threads; they use Netty's native transport if it is on the class path. */
    static Threads start(HttpSettings settings) {
        int processors = Runtime.getRuntime().availableProcessors();
        int number = settings.eventLoopThreads().orElse(Math.max(1, processors / 2));
        ThreadFactory factory = new DefaultThreadFactory("varve-http", true);
        boolean isNative = Epoll.isAvailable();
        EventLoopGroup connections =
                isNative ? new EpollEventLoopGroup(number, factory) : new NioEventLoopGroup(number, factory);
        ExecutorService answers = new ForkJoinPool(processors, Threads::answering, null, true);
        return new Threads(
                connections,
                isNative ? EpollSocketChannel::new : NioSocketChannel::new,
                answers,
                () -> connections
                        .shutdownGracefully(500, 5_000, TimeUnit.MILLISECONDS) // time for the connections to close
                        .addListener(ended -> answers.shutdown()));
    }

    private static ForkJoinWorkerThread answering(ForkJoinPool pool) {
        ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
        thread.setName("varve-http-answers-" + thread.getId());
        thread.setContextClassLoader(Threads.class.getClassLoader());
        return thread;
    }

    /** Ends them without waiting: those of the connections first, which tell of their end. */
    @Override
    public void close() {
        ending.run();
    }
}
