package io.varve.example.shoppingcart;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.pattern.StatusReply;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandlerWithReply;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehaviorWithEnforcedReplies;
import org.apache.pekko.persistence.typed.javadsl.ReplyEffect;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;

/** The entity: decides about commands, stores events, and is rebuilt from them. */
public final class ShoppingCart extends EventSourcedBehaviorWithEnforcedReplies<ShoppingCart.Command, Event, Cart> {
    /** The name under which carts are sharded, stored and queried. */
    public static final EntityTypeKey<Command> TYPE = EntityTypeKey.create(Command.class, "ShoppingCart");

    private final ActorContext<Command> context;

    /** What can be asked of a cart; each is answered with the cart as it then is, or with the reason why not. */
    public sealed interface Command {
        /** Who gets the answer. */
        ActorRef<StatusReply<Answer>> replyTo();
    }

    /** Puts something into the cart. */
    public record AddItem(String item, int quantity, ActorRef<StatusReply<Answer>> replyTo) implements Command {}

    /** Takes something out of the cart. */
    public record RemoveItem(String item, int quantity, ActorRef<StatusReply<Answer>> replyTo) implements Command {}

    /** Orders what is in the cart. */
    public record CheckOut(ActorRef<StatusReply<Answer>> replyTo) implements Command {}

    /** Asks what is in the cart. */
    public record Look(ActorRef<StatusReply<Answer>> replyTo) implements Command {}

    /** The cart, and how many events it is made of. */
    public record Answer(Cart cart, long sequenceNumber) {}

    private ShoppingCart(String id, ActorContext<Command> context) {
        super(PersistenceId.of(TYPE.name(), id));
        this.context = context;
    }

    /** The cart with that id. */
    public static Behavior<Command> create(String id) {
        return Behaviors.setup(context -> new ShoppingCart(id, context));
    }

    @Override
    public Cart emptyState() {
        return Cart.EMPTY;
    }

    @Override
    public CommandHandlerWithReply<Command, Event, Cart> commandHandler() {
        return newCommandHandlerWithReplyBuilder()
                .forAnyState()
                .onCommand(AddItem.class, this::add)
                .onCommand(RemoveItem.class, this::remove)
                .onCommand(CheckOut.class, this::checkOut)
                .onCommand(Look.class, (cart, look) -> Effect().reply(look.replyTo(), answer(cart)))
                .build();
    }

    private ReplyEffect<Event, Cart> add(Cart cart, AddItem add) {
        return add.quantity() < 1
                ? refuse(add, "The quantity must be at least 1, not " + add.quantity() + ".")
                : store(add, new Event.ItemAdded(add.item(), add.quantity()));
    }

    private ReplyEffect<Event, Cart> remove(Cart cart, RemoveItem remove) {
        int there = cart.quantityOf(remove.item());
        return remove.quantity() < 1 || remove.quantity() > there
                ? refuse(
                        remove,
                        "There are " + there + " " + remove.item() + " in the cart, not " + remove.quantity() + ".")
                : store(remove, new Event.ItemRemoved(remove.item(), remove.quantity()));
    }

    private ReplyEffect<Event, Cart> checkOut(Cart cart, CheckOut checkOut) {
        return cart.items().isEmpty()
                ? refuse(checkOut, "The cart is empty.")
                : store(checkOut, new Event.CheckedOut(cart.orders() + 1));
    }

    private ReplyEffect<Event, Cart> store(Command command, Event event) {
        return Effect().persist(event).thenReply(command.replyTo(), this::answer);
    }

    private ReplyEffect<Event, Cart> refuse(Command command, String reason) {
        return Effect().reply(command.replyTo(), StatusReply.error(reason));
    }

    private StatusReply<Answer> answer(Cart cart) {
        return StatusReply.success(new Answer(cart, lastSequenceNumber(context)));
    }

    @Override
    public RetentionCriteria retentionCriteria() {
        return RetentionCriteria.snapshotEvery(10, 2);
    }

    @Override
    public EventHandler<Cart, Event> eventHandler() {
        return newEventHandlerBuilder().forAnyState().onAnyEvent(Cart::after);
    }
}
