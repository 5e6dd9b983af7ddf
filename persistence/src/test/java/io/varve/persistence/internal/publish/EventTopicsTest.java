package io.varve.persistence.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.journal.LogCapture;
import io.varve.persistence.query.Subscriber;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorPath;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.DeadLetter;
import org.apache.pekko.actor.Dropped;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;

/** Topics: which one an event goes to, what they are called, and how many there can be. */
class EventTopicsTest {
    private static final JournalTopics JOURNAL = new JournalTopics("my-table", "journal", 64);

    private static ActorSystem system;
    private static EventTopics topics;

    @BeforeAll
    static void startSystem() {
        system = ActorSystem.create("topics", ConfigFactory.load(ConfigFactory.parseString("pekko.loglevel = ERROR")));
        topics = EventTopics.get(system);
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private static List<Event> event(String persistenceId, long sequenceNumber) {
        return List.of(new Event(
                persistenceId,
                sequenceNumber,
                new Payload(SdkBytes.fromUtf8String("e" + sequenceNumber), 20, ""),
                "writer",
                "",
                Optional.empty(),
                Set.of(),
                sequenceNumber,
                Optional.empty(),
                Optional.empty(),
                false));
    }

    private static void publish(ActorSystem from, String persistenceId, long sequenceNumber) {
        EventTopics.get(from).publish(JOURNAL.topicOf(persistenceId), event(persistenceId, sequenceNumber));
    }

    @Test
    void everyEntity_isInATopicThatCoversItsSlice() {
        for (int number : List.of(1, 2, 64, 1024)) {
            JournalTopics journal = new JournalTopics("my-table", "journal", number);
            for (int i = 0; i < 2_000; i++) {
                String persistenceId = "cart|" + i;
                int slice = Slices.of(persistenceId);
                assertThat(journal.covering("cart", slice, slice)).containsExactly(journal.topicOf(persistenceId));
            }
            assertThat(journal.covering("cart", 0, 1023)).hasSize(number).doesNotHaveDuplicates();
        }
    }

    @Test
    void rangeOfSlices_isCoveredByAllTopicsThatItTouches() {
        assertThat(JOURNAL.covering("cart", 0, 15))
                .extracting(EventTopic::index)
                .containsExactly(0);
        assertThat(JOURNAL.covering("cart", 15, 16))
                .extracting(EventTopic::index)
                .containsExactly(0, 1);
        assertThat(JOURNAL.covering("cart", 256, 511))
                .extracting(EventTopic::index)
                .containsExactlyElementsOf(IntStream.range(16, 32).boxed().toList());
        assertThatThrownBy(() -> JOURNAL.covering("cart", 512, 511)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JOURNAL.covering("cart", 0, 1024))
                .hasMessage("There is no range of slices from 0 to 1024: they are numbered from 0 to 1023.");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, 100, 2048})
    void numberOfTopics_thatDoesNotDivideTheSlices_isRefused(int number) {
        assertThatThrownBy(() -> new JournalTopics("my-table", "journal", number))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("is " + number + ", but must be a divisor of 1024");
    }

    @Test
    void name_isReadable() {
        assertThat(new EventTopic(JOURNAL, "cart", 7).name()).isEqualTo("varve-events:my-table:journal:cart:7-of-64");
        assertThat(new EventTopic(JOURNAL, "", 7).name()).isEqualTo("varve-events:my-table:journal::7-of-64");
    }

    @Test
    void name_isSafeAndShortAndDifferentForDifferentTopics() {
        Random random = new Random(1);
        List<String> odd = Stream.concat(
                        Stream.of(
                                "",
                                ":",
                                "a:b",
                                "a",
                                "%",
                                "$a",
                                "ä ö/\\?#",
                                "~",
                                "x".repeat(80),
                                "x".repeat(81),
                                "x".repeat(2_000)),
                        IntStream.range(0, 200)
                                .mapToObj(i -> random.ints(random.nextInt(1, 200), 1, 0xD800)
                                        .collect(
                                                StringBuilder::new,
                                                StringBuilder::appendCodePoint,
                                                StringBuilder::append)
                                        .toString()))
                .toList();
        List<String> names = odd.stream()
                .flatMap(text -> Stream.of(
                        new EventTopic(new JournalTopics(text + "-", "journal", 64), "cart", 1),
                        new EventTopic(new JournalTopics("my-table", text + "-", 64), "cart", 1),
                        new EventTopic(new JournalTopics("my-table", "journal", 64), text, 1),
                        new EventTopic(new JournalTopics("my-table", "journal", 2), text, 1)))
                .map(EventTopic::name)
                .toList();
        assertThat(names).doesNotHaveDuplicates().allSatisfy(name -> {
            assertThat(ActorPath.isValidPathElement(name)).as(name).isTrue();
            assertThat(name).hasSizeLessThan(300);
        });
    }

    @Test
    void published_reachesTheSubscribersOfItsTopicAlone() {
        String persistenceId = "name with ; and / and ü|1";
        Subscriber first = new Subscriber(system).to(JOURNAL.topicOf(persistenceId));
        Subscriber second = new Subscriber(system)
                .to(JOURNAL.covering("name with ; and / and ü", 0, 1023).toArray(EventTopic[]::new));
        Subscriber other =
                new Subscriber(system).to(new JournalTopics("other-table", "journal", 64).topicOf(persistenceId));
        IntStream.rangeClosed(1, 100).forEach(number -> publish(system, persistenceId, number));
        for (Subscriber subscriber : List.of(first, second)) {
            assertThat(subscriber.numbersUpTo(100))
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, 100)
                            .mapToObj(number -> List.of((long) number))
                            .toList());
        }
        assertThat(other.hasHeard()).isFalse();
    }

    @Test
    void unsubscribed_hearsNoMore() {
        String persistenceId = "unsubscribed|1";
        EventTopic topic = JOURNAL.topicOf(persistenceId);
        Subscriber stays = new Subscriber(system).to(topic);
        Subscriber leaves = new Subscriber(system).to(topic);
        publish(system, persistenceId, 1);
        assertThat(leaves.numbersUpTo(1)).hasSize(1);
        topics.unsubscribe(List.of(topic), leaves.ref());
        publish(system, persistenceId, 2);
        assertThat(stays.numbersUpTo(2)).hasSize(2);
        assertThat(leaves.hasHeard()).isFalse();
    }

    @Test
    void subscriberToAnEntity_hearsOfNothingElse_andNoMoreWhenItIsUnsubscribed() {
        String persistenceId = "one-entity|1";
        EventTopic topic = JOURNAL.topicOf(persistenceId);
        Subscriber all = new Subscriber(system).to(topic);
        Subscriber one = new Subscriber(system);
        Subscriber other = new Subscriber(system);
        topics.subscribe(topic, persistenceId, one.ref());
        topics.subscribe(topic, persistenceId, other.ref());
        topics.publish(topic, event("one-entity|2", 1));
        topics.publish(topic, event(persistenceId, 2));
        assertThat(one.numbersUpTo(2)).containsExactly(List.of(2L));
        topics.unsubscribe(List.of(topic), one.ref());
        topics.publish(topic, event(persistenceId, 3));
        assertThat(other.numbersUpTo(3)).containsExactly(List.of(2L), List.of(3L));
        assertThat(all.numbersUpTo(3)).hasSize(3);
        assertThat(one.hasHeard()).isFalse();
    }

    @Test
    void withoutSubscribers_nothingIsCalledADeadLetter() {
        TestKit deadLetters = new TestKit(system);
        system.getEventStream().subscribe(deadLetters.getRef(), DeadLetter.class);
        system.getEventStream().subscribe(deadLetters.getRef(), Dropped.class);
        String persistenceId = "nobody-listens|1";
        publish(system, persistenceId, 1);
        Subscriber subscriber = new Subscriber(system).to(JOURNAL.topicOf(persistenceId));
        publish(system, persistenceId, 2);
        assertThat(subscriber.numbersUpTo(2)).containsExactly(List.of(2L));
        assertThat(deadLetters.msgAvailable()).isFalse();
    }

    @Test
    void events_ofTwoEntitiesOrNone_cannotBePublishedTogether() {
        assertThatThrownBy(() -> new PublishedEvents(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PublishedEvents(
                        List.of(event("cart|1", 1).get(0), event("cart|2", 2).get(0))))
                .hasMessage("Events of 'cart|1' and of 'cart|2' cannot be published together.");
    }

    @Test
    void entityTypesWithoutEnd_areNotPublishedBeyondTheFirstThousand_whichIsReportedOnce() {
        ActorSystem many =
                ActorSystem.create("many", ConfigFactory.load(ConfigFactory.parseString("pekko.loglevel = ERROR")));
        try (LogCapture warnings = LogCapture.of(EventTopics.class, Level.WARN)) {
            IntStream.range(0, 3_000).forEach(i -> publish(many, i + "|1", 1));
            assertThat(warnings.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .startsWith("There are more than 1000 entity types. Events of further ones, the first of which is"
                            + " '1000', are not published");
            Subscriber known = new Subscriber(many).to(JOURNAL.topicOf("999|1"), JOURNAL.topicOf("1000|1"));
            publish(many, "1000|1", 2);
            publish(many, "999|1", 2);
            assertThat(known.next().persistenceId()).isEqualTo("999|1");
        } finally {
            TestKit.shutdownActorSystem(many);
        }
    }
}
