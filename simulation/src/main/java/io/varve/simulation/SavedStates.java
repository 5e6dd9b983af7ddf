package io.varve.simulation;

import java.util.ArrayList;
import java.util.List;

/** What snapshots hold: which history it is, up to which number, and as many bytes as wanted. */
final class SavedStates {
    private record State(History history, long at) {}

    private final List<State> states = new ArrayList<>();

    String encode(History history, long at, int bytes) {
        states.add(new State(history, at));
        return (states.size() - 1) + "/" + bytes + "/" + "x".repeat(bytes);
    }

    /** The history that was saved, if all of it is there. */
    History decode(String text) {
        String[] parts = text.split("/", -1);
        if (parts.length != 3 || !parts[2].equals("x".repeat(Integer.parseInt(parts[1])))) {
            throw new BrokenPromise("A snapshot was loaded that is not as it was saved: " + text.length() + " bytes.");
        }
        State state = states.get(Integer.parseInt(parts[0]));
        return History.upTo(state.history, state.at);
    }
}
