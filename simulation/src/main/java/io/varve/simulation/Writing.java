package io.varve.simulation;

import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.core.SdkBytes;

/** One atomic write: what is tried, and whether the answer is true and in time. */
final class Writing {
    /** The tag that some events have. */
    static final String TAG = "blue";

    private static final Duration IN_ALL = Duration.ofSeconds(10);
    private static final int CHAIN = 100;
    private static final Payload TOO_LARGE = Instance.payload(SdkBytes.fromUtf8String("x".repeat(410_000)));

    private final Instance instance;
    private final long first;
    private final long end;
    private final boolean rejected;
    private final List<String> texts = new ArrayList<>();
    private final long asked;
    private final long stoodStill;

    private Writing(Instance instance, long first, int size, boolean rejected) {
        this.instance = instance;
        this.first = first;
        this.end = first + size - 1;
        this.rejected = rejected;
        this.asked = instance.world().now();
        this.stoodStill = instance.node().stoodStill();
    }

    /** Writes so many events after a history; the events, or none if they were rejected, as they must be if they are too large. */
    static CompletionStage<List<Event>> of(Instance instance, History history, long first, int size, boolean tooLarge) {
        return new Writing(instance, first, size, tooLarge).run(history);
    }

    private CompletionStage<List<Event>> run(History history) {
        EntityTruth truth = instance.truth();
        List<NewEvent> batch = new ArrayList<>();
        boolean tagged = truth.isTagged(asked);
        for (long number = first; number <= end; number++) {
            String text = instance.name() + "/" + number + (tagged ? EntityTruth.TAGGED : "");
            texts.add(text);
            batch.add(new NewEvent(
                    number,
                    rejected ? TOO_LARGE : Instance.payload(SdkBytes.fromUtf8String(text)),
                    instance.name(),
                    "",
                    Optional.empty(),
                    tagged ? Set.of(TAG) : Set.of()));
        }
        instance.note(() -> "writes " + first + ".." + end + (rejected ? ", too large" : ""));
        if (!rejected) {
            truth.trying(first, texts);
        }
        truth.knowledge().writes(instance.node());
        return instance.events()
                .append(
                        instance.entity(),
                        CompletableFuture.completedFuture(List.of(new AppendRequest(instance.entity(), batch))),
                        IN_ALL)
                .whenComplete((results, thrown) -> {
                    truth.knowledge().hasWritten(instance.node());
                    truth.presences().hasWritten(instance.name());
                })
                .thenApply(results -> answered(results.get(0), history));
    }

    private List<Event> answered(AppendResult result, History history) {
        inTime();
        if (result instanceof AppendResult.Rejected != rejected) {
            throw instance.broken("was told " + result);
        }
        if (rejected) {
            instance.world().met(Rare.EVENT_REJECTED);
            return List.of();
        }
        if (texts.size() > CHAIN) {
            instance.world().met(Rare.CHAIN_STORED);
        }
        instance.note(() -> "has stored " + first + ".." + end);
        for (int i = 0; i < texts.size(); i++) {
            history.add(first + i, texts.get(i));
        }
        List<Event> stored = ((AppendResult.Stored) result).events();
        instance.truth()
                .acknowledged(
                        history,
                        end,
                        stored.get(0).timestamp(),
                        stored.get(stored.size() - 1).timestamp());
        return stored;
    }

    /** An answer, whatever it is, comes before Pekko would give up; but for the time in which the node did not do anything. */
    private void inTime() {
        long took = instance.world().now() - asked - (instance.node().stoodStill() - stoodStill);
        if (took > IN_ALL.toNanos()) {
            throw instance.broken("got the answer to a write after " + took / 1_000_000 + " ms");
        }
    }
}
