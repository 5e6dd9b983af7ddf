package io.varve.simulation.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** An expression's words, with the names and values that its request gives for them. */
final class Tokens {
    private static final Pattern WORD = Pattern.compile("\\s*([#:]?[A-Za-z0-9_.-]+|<>|<=|>=|[=<>(),+-])");

    /** By text: the store has few expressions, and sends them often. */
    private static final Map<String, List<String>> WORDS = new ConcurrentHashMap<>();

    private final String text;
    private final Map<String, String> names;
    private final Map<String, AttributeValue> values;
    private final List<String> words;
    private int next;

    Tokens(String text, Map<String, String> names, Map<String, AttributeValue> values) {
        this.text = text;
        this.names = names;
        this.values = values;
        this.words = WORDS.computeIfAbsent(text, Tokens::words);
    }

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(text);
        int end = 0;
        while (matcher.lookingAt()) {
            words.add(matcher.group(1));
            end = matcher.end();
            matcher.region(end, text.length());
        }
        if (!text.substring(end).isBlank()) {
            throw Errors.validation("Invalid expression: " + text);
        }
        return List.copyOf(words);
    }

    boolean isAtEnd() {
        return next == words.size();
    }

    String take() {
        if (isAtEnd()) {
            throw Errors.validation("Invalid expression, it ends too early: " + text);
        }
        return words.get(next++);
    }

    Optional<String> peek() {
        return isAtEnd() ? Optional.empty() : Optional.of(words.get(next));
    }

    boolean takeIf(String word) {
        boolean found = peek().filter(word::equalsIgnoreCase).isPresent();
        if (found) {
            next++;
        }
        return found;
    }

    void expect(String word) {
        if (!takeIf(word)) {
            throw Errors.validation("Invalid expression, " + word + " is missing: " + text);
        }
    }

    /** The name of an attribute. Paths into maps and lists are not in use here. */
    String name() {
        String word = take();
        if (word.startsWith("#")) {
            return Optional.ofNullable(names.get(word))
                    .orElseThrow(() -> Errors.validation("No name is given for " + word + ": " + text));
        }
        if (word.contains(".") || Reserved.WORDS.contains(word.toUpperCase(Locale.ROOT))) {
            throw Errors.validation("Attribute name is a reserved keyword or a path: " + word);
        }
        return word;
    }

    AttributeValue value() {
        String word = take();
        return Optional.ofNullable(values.get(word))
                .orElseThrow(() -> Errors.validation("No value is given for " + word + ": " + text));
    }

    boolean isValue() {
        return peek().filter(word -> word.startsWith(":")).isPresent();
    }
}
