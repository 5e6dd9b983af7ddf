package io.varve.projection.internal.retry;

import java.util.ArrayList;
import java.util.List;

/** Whether a stream is to end: the one place that knows, and tells those who wait for something. */
public final class StopSignal {
    private final List<Runnable> listeners = new ArrayList<>();
    private boolean stopped;

    /** Does this at the stop, which may be over. */
    void onStop(Runnable listener) {
        synchronized (this) {
            if (!stopped) {
                listeners.add(listener);
                return;
            }
        }
        listener.run();
    }

    /** Does something short, unless the stream is stopped; says whether it did. A stop waits for it. */
    public synchronized boolean unlessStopped(Runnable action) {
        if (!stopped) {
            action.run();
        }
        return !stopped;
    }

    /** Stops, for good. */
    public void stop() {
        List<Runnable> told;
        synchronized (this) {
            stopped = true;
            told = List.copyOf(listeners);
            listeners.clear();
        }
        told.forEach(Runnable::run);
    }
}
