package io.varve.persistence.internal.publish;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.journal.EventStoreSettings;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which topics a journal's events go to.
 *
 * @param table the table as the journal's configuration names it
 * @param numberOfTopics for each entity type, a divisor of 1024, the same on all nodes
 */
public record JournalTopics(String table, String journalName, int numberOfTopics) {

    /** Checks the number of topics. */
    public JournalTopics {
        checkNumber(numberOfTopics);
    }

    /** The topics of a journal with these settings. */
    public static JournalTopics of(EventStoreSettings store, PublishSettings publish) {
        return new JournalTopics(store.table(), store.journalName(), publish.numberOfTopics());
    }

    /** The number itself if it can be a number of topics; else an exception that says which can. */
    public static int checkNumber(int numberOfTopics) {
        if (numberOfTopics < 1 || numberOfTopics > Slices.NUMBER || Slices.NUMBER % numberOfTopics != 0) {
            throw new IllegalArgumentException("is " + numberOfTopics + ", but must be a divisor of " + Slices.NUMBER
                    + " (1, 2, 4, 8 … 512, 1024), so that each topic has the same number of slices");
        }
        return numberOfTopics;
    }

    /** The topic of an entity. */
    public EventTopic topicOf(String persistenceId) {
        return new EventTopic(this, Slices.entityType(persistenceId), index(Slices.of(persistenceId)));
    }

    /** The slices of the topic of an entity. */
    public SliceRange slicesWith(String persistenceId) {
        int size = Slices.NUMBER / numberOfTopics;
        int first = index(Slices.of(persistenceId)) * size;
        return new SliceRange(Slices.entityType(persistenceId), first, first + size - 1);
    }

    /** The topics of an entity type's events in these slices, both inclusive. Those at the ends can have other slices, too. */
    public List<EventTopic> covering(String entityType, int firstSlice, int lastSlice) {
        if (firstSlice < 0 || lastSlice >= Slices.NUMBER || firstSlice > lastSlice) {
            throw new IllegalArgumentException("There is no range of slices from " + firstSlice + " to " + lastSlice
                    + ": they are numbered from 0 to " + (Slices.NUMBER - 1) + ".");
        }
        return IntStream.rangeClosed(index(firstSlice), index(lastSlice))
                .mapToObj(index -> new EventTopic(this, entityType, index))
                .toList();
    }

    private int index(int slice) {
        return slice / (Slices.NUMBER / numberOfTopics);
    }
}
