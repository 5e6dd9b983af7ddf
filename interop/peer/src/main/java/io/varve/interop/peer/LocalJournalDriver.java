package io.varve.interop.peer;

import com.typesafe.config.ConfigFactory;
import io.varve.interop.peer.EntityActor.Delete;
import io.varve.interop.peer.EntityActor.Outcome;
import io.varve.interop.peer.EntityActor.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.pattern.Patterns;

/** A node in this JVM: an actor system on the journal that its config names. Not for concurrent use. */
public final class LocalJournalDriver implements JournalDriver {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final ActorSystem system;
    private final Map<String, ActorRef> actors = new HashMap<>();

    private LocalJournalDriver(ActorSystem system) {
        this.system = system;
    }

    /** Starts a node; the config's text stands above the libraries' own. */
    public static LocalJournalDriver open(String config) {
        return new LocalJournalDriver(
                ActorSystem.create("interop", ConfigFactory.parseString(config).withFallback(ConfigFactory.load())));
    }

    @Override
    public Recovered recoverTo(String persistenceId, long toSequenceNumber, long max) {
        stop(persistenceId);
        CompletableFuture<Recovered> recovered = new CompletableFuture<>();
        actors.put(persistenceId, system.actorOf(EntityActor.props(persistenceId, toSequenceNumber, max, recovered)));
        return await("recover", persistenceId, recovered);
    }

    @Override
    public long persist(String persistenceId, String payload) {
        return persistAll(persistenceId, List.of(payload));
    }

    @Override
    public long persistAll(String persistenceId, List<String> payloads) {
        Outcome outcome = write(persistenceId, objects(payloads));
        if (outcome.stored() != payloads.size()) {
            throw new JournalDriverException("%s: %s of %d events".formatted(persistenceId, outcome, payloads.size()));
        }
        return outcome.lastSequenceNumber();
    }

    @Override
    public long persistAllRejected(String persistenceId, List<String> payloads, int rejectedIndex) {
        List<Object> batch = objects(payloads);
        batch.add(rejectedIndex, new Unserializable());
        Outcome outcome = write(persistenceId, batch);
        if (outcome.rejected() != batch.size()) {
            throw new JournalDriverException(
                    "%s: not rejected: %s of %d events".formatted(persistenceId, outcome, batch.size()));
        }
        return outcome.lastSequenceNumber();
    }

    @Override
    public void delete(String persistenceId, long toSequenceNumber) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        actor(persistenceId).tell(new Delete(toSequenceNumber, done), ActorRef.noSender());
        await("delete", persistenceId, done);
    }

    @Override
    public void stop(String persistenceId) {
        ActorRef actor = actors.remove(persistenceId);
        if (actor != null) {
            await("stop", persistenceId, Patterns.gracefulStop(actor, TIMEOUT));
        }
    }

    @Override
    public void close() {
        system.terminate();
        await("terminate", system.name(), system.getWhenTerminated());
    }

    private Outcome write(String persistenceId, List<Object> payloads) {
        Write write = new Write(payloads);
        actor(persistenceId).tell(write, ActorRef.noSender());
        return await("persist", persistenceId, write.done);
    }

    private static List<Object> objects(List<String> payloads) {
        return payloads.stream().map(Payloads::fromText).collect(Collectors.toCollection(ArrayList::new));
    }

    private ActorRef actor(String persistenceId) {
        ActorRef actor = actors.get(persistenceId);
        if (actor == null) {
            throw new JournalDriverException("%s is not running".formatted(persistenceId));
        }
        return actor;
    }

    private static <T> T await(String operation, String subject, CompletionStage<T> answer) {
        String what = operation + " of " + subject;
        try {
            return answer.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new JournalDriverException(what + " failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new JournalDriverException(what + " was not answered in " + TIMEOUT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JournalDriverException(what + " was interrupted", e);
        }
    }

    /** A payload that no serializer takes. */
    private static final class Unserializable {}
}
