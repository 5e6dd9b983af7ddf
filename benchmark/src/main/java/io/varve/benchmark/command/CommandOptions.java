package io.varve.benchmark.command;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a command: each has a default, and no other is known. */
public record CommandOptions(Map<String, String> values) {

    /** Reads {@code --name value} pairs. */
    public static CommandOptions parse(List<String> words, Map<String, String> defaults) {
        Map<String, String> values = new LinkedHashMap<>(defaults);
        for (int i = 0; i < words.size(); i += 2) {
            String name = words.get(i);
            if (!name.startsWith("--") || !defaults.containsKey(name.substring(2))) {
                throw new UsageException("there is no option " + name + "; known are --"
                        + String.join(
                                ", --", defaults.keySet().stream().sorted().toList()));
            }
            if (i + 1 == words.size()) {
                throw new UsageException(name + " needs a value");
            }
            values.put(name.substring(2), words.get(i + 1));
        }
        return new CommandOptions(values);
    }

    /** The value as it was given. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("The command has no option " + name);
        }
        return value;
    }

    /** A number from 1 on. */
    public int positive(String name) {
        return parse(name, text(name), 1);
    }

    /** A number from 0 on. */
    public int number(String name) {
        return parse(name, text(name), 0);
    }

    /** On or off. */
    public boolean flag(String name) {
        String value = text(name);
        if (!value.equals("on") && !value.equals("off")) {
            throw new UsageException("--" + name + " needs on or off, not \"" + value + "\"");
        }
        return value.equals("on");
    }

    /** Numbers with commas between them. */
    public List<Integer> numbers(String name) {
        return Arrays.stream(text(name).split(",", -1))
                .map(word -> parse(name, word, 0))
                .toList();
    }

    /** Words with commas between them, each one of those that are possible. */
    public List<String> words(String name, List<String> possible) {
        List<String> words = List.of(text(name).split(",", -1));
        words.forEach(word -> {
            if (!possible.contains(word)) {
                throw new UsageException("--" + name + " knows no \"" + word + "\"; known are " + possible);
            }
        });
        return words;
    }

    private static int parse(String name, String word, int least) {
        try {
            int number = Integer.parseInt(word);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException("--" + name + " needs a number from " + least + " on, not \"" + word + "\"");
    }

    /** The command line is wrong, and the message says how. */
    public static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** Says what is wrong. */
        public UsageException(String message) {
            super(message);
        }
    }
}
