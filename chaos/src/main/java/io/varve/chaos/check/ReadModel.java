package io.varve.chaos.check;

import java.util.List;

/** What a projection has made of an account: the numbers of the events in the order in which they were processed, and their sum. */
public record ReadModel(List<Long> numbers, long sum) {
    /** Nothing yet. */
    public static final ReadModel NONE = new ReadModel(List.of(), 0);

    public ReadModel {
        numbers = List.copyOf(numbers);
    }

    /** The highest number; 0 if there is none. */
    public long highest() {
        return numbers.stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
