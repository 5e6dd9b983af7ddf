package io.varve.projection.internal.view;

import io.varve.projection.DynamoDBItemHandler;
import io.varve.projection.ItemChange;
import io.varve.projection.ItemCodec;
import io.varve.projection.ItemTable;
import io.varve.projection.ViewHandler;
import io.varve.projection.internal.delivery.DeliveryMode;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.delivery.ProjectionParts;
import io.varve.projection.internal.delivery.UserHandler;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.offset.FencedItems;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.typed.EventEnvelope;

/** Makes the delivery modes whose progress is in items. */
public record ItemModes(ItemTable table, Gateway gateway) {

    /** Folds of events. */
    public <S, E> DeliveryModes<EventEnvelope<E>> view(
            ItemCodec<S> codec, Supplier<? extends ViewHandler<S, E>> handlers) {
        return (options, parts, system) -> () -> {
            ViewHandler<S, E> handler = UserHandler.made(handlers.get());
            return mode(
                    UserHandler.folding(handler),
                    new ViewModel<>(handler, codec, table.key(), table.shared()),
                    options,
                    parts,
                    system);
        };
    }

    /** Changes by events, one after another. */
    public <E> DeliveryModes<E> changes(Supplier<? extends DynamoDBItemHandler<E>> handlers) {
        return (options, parts, system) -> () -> {
            UserHandler<E, ItemChange> handler = UserHandler.changing(handlers.get());
            return mode(handler, new ChangeModel<>(handler::process, table.shared()), options, parts, system);
        };
    }

    private <E, S> DeliveryMode<E> mode(
            UserHandler<?, ?> handler,
            ItemModel<E, S> model,
            ProjectionOptions<E> options,
            ProjectionParts<E> parts,
            ActorSystem<?> system) {
        FencedItems items = new FencedItems(
                gateway,
                table.name(),
                options.id().name(),
                new FencedItems.Removed(table.shared(), table.keepRemoved(), table.expires()),
                parts.clock());
        ItemProgress<S> progress = new ItemProgress<>(
                options.id().id(),
                items,
                table.key(),
                model,
                parts.table(),
                parts.source().journal(),
                parts.settings().view().maxStates());
        EntityItems.ReadAhead<E> readAhead = new JournalReadAhead<>(
                parts.source().journal(), parts.settings().view().readAheadAfter(), parts.clock(), system);
        return new ItemMode<>(
                handler,
                progress,
                new EntityItems<>(options.id().id(), progress, model, readAhead),
                parts.settings().view());
    }
}
