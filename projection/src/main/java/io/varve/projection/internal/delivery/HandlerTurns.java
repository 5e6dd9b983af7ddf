package io.varve.projection.internal.delivery;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lets so many calls of a handler run at the same time; others wait for their turn, in the order in which they have come. */
final class HandlerTurns {
    private final int most;
    private final Deque<CompletableFuture<Turn>> waiting = new ArrayDeque<>();
    private final Drain drain = new Drain(this::begin);
    private int running;

    HandlerTurns(int most) {
        this.most = most;
    }

    /** A call that may run until it is over. */
    final class Turn {
        private boolean over;

        /** This turn, or another one if it is over. */
        CompletionStage<Turn> orNext() {
            synchronized (HandlerTurns.this) {
                if (!over) {
                    return CompletableFuture.completedFuture(this);
                }
            }
            return next();
        }

        /** Lets the next one run, the first time this is called. */
        void over() {
            synchronized (HandlerTurns.this) {
                if (over) {
                    return;
                }
                over = true;
                running--;
            }
            drain.run();
        }
    }

    CompletionStage<Turn> next() {
        CompletableFuture<Turn> turn = new CompletableFuture<>();
        synchronized (this) {
            waiting.add(turn);
        }
        drain.run();
        return turn;
    }

    private void begin() {
        for (CompletableFuture<Turn> next = take(); next != null; next = take()) {
            next.complete(new Turn());
        }
    }

    private synchronized @Nullable CompletableFuture<Turn> take() {
        if (running == most || waiting.isEmpty()) {
            return null;
        }
        running++;
        return waiting.remove();
    }
}
