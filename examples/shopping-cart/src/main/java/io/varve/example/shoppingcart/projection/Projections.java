package io.varve.example.shoppingcart.projection;

import io.varve.example.shoppingcart.Event;
import io.varve.example.shoppingcart.ShoppingCart;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.OnFailure;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.typed.javadsl.ShardedDaemonProcess;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.SourceProvider;

/** The projections, each divided into instances that share the slices, and are spread over the nodes. */
public final class Projections {
    /** Counts what is put into carts. */
    public static final String POPULAR_ITEMS = "popular-items";

    /** Mails a thank-you for each order. */
    public static final String ORDER_MAILS = "order-mails";

    /** Keeps a view of each cart. */
    public static final String CART_VIEWS = "cart-views";

    /** All names. */
    public static final List<String> NAMES = List.of(POPULAR_ITEMS, ORDER_MAILS, CART_VIEWS);

    private final ActorSystem<?> system;
    private final List<Instance> instances;

    /** The slices of one instance, both bounds inclusive. */
    public record Instance(int minSlice, int maxSlice) {
        /** The id of this instance of a projection. */
        public ProjectionId of(String projection) {
            return ProjectionId.of(projection, minSlice + "-" + maxSlice);
        }
    }

    /** The projections of this actor system's cluster. */
    public Projections(ActorSystem<?> system) {
        this.system = system;
        int number = system.settings().config().getInt("shopping-cart.projection-instances");
        this.instances = Persistence.get(system).getSliceRanges(number).stream()
                .map(range -> new Instance(range.first(), range.second()))
                .toList();
    }

    /** The instances that each projection has. */
    public List<Instance> instances() {
        return instances;
    }

    /** Makes this node a place for instances. */
    public void init(PopularItemsTable table, CartViews views) {
        DynamoDBProjectionSettings parking =
                DynamoDBProjectionSettings.create(system).withOnFailure(OnFailure.PARK);
        distribute(
                POPULAR_ITEMS,
                instance -> DynamoDBProjection.exactlyOnce(
                        instance.of(POPULAR_ITEMS),
                        Optional.of(parking),
                        events(instance),
                        () -> new PopularItems(table),
                        system));
        distribute(
                ORDER_MAILS,
                instance -> DynamoDBProjection.atLeastOnce(
                        instance.of(ORDER_MAILS),
                        Optional.of(parking),
                        events(instance),
                        () -> new OrderMails(system),
                        system));
        distribute(
                CART_VIEWS,
                instance -> DynamoDBProjection.view(
                        instance.of(CART_VIEWS),
                        Optional.empty(),
                        events(instance),
                        views.table(),
                        views.codec(),
                        CartViews.Fold::new,
                        system));
    }

    private SourceProvider<Offset, EventEnvelope<Event>> events(Instance instance) {
        return DynamoDBSourceProvider.eventsBySlices(
                system, ShoppingCart.TYPE.name(), instance.minSlice(), instance.maxSlice());
    }

    private void distribute(String name, Function<Instance, Projection<EventEnvelope<Event>>> projection) {
        ShardedDaemonProcess.get(system)
                .init(
                        ProjectionBehavior.Command.class,
                        name,
                        instances.size(),
                        index -> ProjectionBehavior.create(projection.apply(instances.get(index))),
                        ProjectionBehavior.stopMessage());
    }
}
