package io.varve.docs;

import java.util.List;
import java.util.stream.Stream;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;

/** The README's entity. */
public final class Notes extends EventSourcedBehavior<String, String, List<String>> {
    public Notes(String id) {
        super(PersistenceId.of("Notes", id));
    }

    @Override
    public List<String> emptyState() {
        return List.of();
    }

    @Override
    public CommandHandler<String, String, List<String>> commandHandler() {
        return (notes, note) -> Effect().persist(note);
    }

    @Override
    public EventHandler<List<String>, String> eventHandler() {
        return (notes, note) -> Stream.concat(notes.stream(), Stream.of(note)).toList();
    }
}
