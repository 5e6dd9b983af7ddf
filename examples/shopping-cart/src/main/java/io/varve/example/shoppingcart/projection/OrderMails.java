package io.varve.example.shoppingcart.projection;

import io.varve.example.shoppingcart.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.projection.javadsl.Handler;

/**
 * "Mails" a thank-you for each order, as a line in a file. A file is not part of any transaction, so after a failure a mail can
 * come twice; the order's name in it tells a second one from a new one.
 */
final class OrderMails extends Handler<EventEnvelope<Event>> {
    private final Path file;
    private final Executor blocking;

    OrderMails(ActorSystem<?> system) {
        this.file = file(system);
        this.blocking = system.dispatchers().lookup(DispatcherSelector.blocking());
    }

    /** Where the mails are. */
    static Path file(ActorSystem<?> system) {
        return Path.of(system.settings().config().getString("shopping-cart.order-mails-file"));
    }

    @Override
    public CompletionStage<Done> process(EventEnvelope<Event> envelope) {
        if (envelope.getEvent() instanceof Event.CheckedOut order) {
            String name = PersistenceId.extractEntityId(envelope.persistenceId()) + "/" + order.order();
            return CompletableFuture.supplyAsync(() -> send(name), blocking);
        }
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    private Done send(String order) {
        try {
            Files.writeString(
                    file,
                    "%s  Thank you for order %s.%n".formatted(Instant.now(), order),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            return Done.getInstance();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
