package io.varve.simulation.failsonce.pekko;

import com.typesafe.config.Config;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.dispatch.DispatcherPrerequisites;
import org.apache.pekko.dispatch.ExecutorServiceConfigurator;
import org.apache.pekko.dispatch.ExecutorServiceFactory;

/** The threads of all processes: an actor system that has none of its own starts and ends at far less cost. */
public final class SharedThreads extends ExecutorServiceConfigurator {
    private static final int THREADS = 16;
    private static final ExecutorService POOL = Executors.newFixedThreadPool(THREADS, action -> {
        Thread thread = new Thread(action, "process");
        thread.setDaemon(true);
        return thread;
    });

    /** Called by Pekko. */
    public SharedThreads(Config config, DispatcherPrerequisites prerequisites) {
        super(config, prerequisites);
    }

    @Override
    public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory threads) {
        return Share::new;
    }

    /** What one dispatcher has of them. */
    private static final class Share extends AbstractExecutorService {
        private volatile boolean shut;

        @Override
        public void execute(Runnable action) {
            POOL.execute(action);
        }

        @Override
        public void shutdown() {
            shut = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shut = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shut;
        }

        @Override
        public boolean isTerminated() {
            return shut;
        }

        @Override
        public boolean awaitTermination(long time, TimeUnit unit) {
            return shut;
        }
    }
}
