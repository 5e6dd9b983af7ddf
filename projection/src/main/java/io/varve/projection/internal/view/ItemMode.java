package io.varve.projection.internal.view;

import io.varve.projection.internal.admission.LastProcessedEvents;
import io.varve.projection.internal.delivery.Delivery;
import io.varve.projection.internal.delivery.DeliveryMode;
import io.varve.projection.internal.delivery.UserHandler;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.settings.ViewSettings;
import io.varve.store.internal.offset.OffsetTable;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** A write for what waits of an entity, of its item with its progress; entities run in parallel, the events of one never do. */
final class ItemMode<E, S> implements DeliveryMode<E> {
    private final UserHandler<?, ?> handler;
    private final ItemProgress<S> progress;
    private final EntityItems<E, S> items;
    private final ViewSettings settings;

    ItemMode(UserHandler<?, ?> handler, ItemProgress<S> progress, EntityItems<E, S> items, ViewSettings settings) {
        this.handler = handler;
        this.progress = progress;
        this.items = items;
        this.settings = settings;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery) {
        EntityQueues<E> queues = new EntityQueues<>(settings.parallelism(), events -> items.process(events, delivery));
        return admitted.mapAsync(settings.maxWaiting(), queues::add);
    }

    @Override
    public LastProcessedEvents lastProcessedEvents(OffsetTable table) {
        return progress;
    }

    @Override
    public boolean isExactlyOnce() {
        return true;
    }

    @Override
    public boolean hasProgressInItems() {
        return true;
    }

    @Override
    public CompletionStage<Done> start() {
        return handler.start();
    }

    @Override
    public CompletionStage<Done> stop() {
        return handler.stop();
    }
}
