package io.varve.persistence.query;

import io.varve.persistence.internal.publish.EventTopic;
import io.varve.persistence.internal.publish.EventTopics;
import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.store.internal.layout.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.testkit.javadsl.TestKit;

/** One that hears of published events. */
public final class Subscriber {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ActorSystem system;
    private final TestKit probe;

    public Subscriber(ActorSystem system) {
        this.system = system;
        this.probe = new TestKit(system);
    }

    public ActorRef<PublishedEvents> ref() {
        return Adapter.toTyped(probe.getRef());
    }

    public Subscriber to(EventTopic... topics) {
        EventTopics.get(system).subscribe(List.of(topics), ref());
        return this;
    }

    public PublishedEvents next() {
        return probe.expectMsgClass(PATIENCE, PublishedEvents.class);
    }

    /** What has come in the meantime and not been looked at. */
    public boolean hasHeard() {
        return probe.msgAvailable();
    }

    /** The sequence numbers of the next messages, message by message, up to the one that ends with a sequence number. */
    public List<List<Long>> numbersUpTo(long last) {
        List<List<Long>> numbers = new ArrayList<>();
        do {
            numbers.add(next().events().stream().map(Event::sequenceNumber).toList());
        } while (!numbers.get(numbers.size() - 1).contains(last));
        return numbers;
    }
}
