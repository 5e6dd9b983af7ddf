package io.varve.store.internal.layout;

import io.varve.store.ItemException;
import io.varve.store.table.Tables;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What was read from a table.
 *
 * <p>Anybody with permissions can have written it, so attributes are read here and nowhere else: one that is missing, of another
 * type or out of bounds is an {@link ItemException} that names table, key and attribute.
 */
public record Item(String table, Map<String, AttributeValue> attributes) {
    /** The highest sequence number that is read; those after it are left free for sums. */
    public static final long LAST_SEQUENCE_NUMBER = Long.MAX_VALUE - 10_000;

    /** The last microsecond of the year 9999. */
    public static final long LAST_TIMESTAMP = 253_402_300_799_999_999L;

    /** The key attributes of all tables. */
    private static final List<String> KEYS = List.of("par", "num", "seq", "name_slice", "pid");

    private static final int LONGEST_SHOWN = 200;

    /** Whether there is an attribute of that name, of any type. */
    public boolean has(String attribute) {
        return attributes.containsKey(attribute);
    }

    /** A number within bounds. */
    public long number(String attribute, long min, long max) {
        return findNumber(attribute, min, max).orElseThrow(() -> missing(attribute));
    }

    /** A number within bounds, if it is there. */
    public OptionalLong findNumber(String attribute, long min, long max) {
        @Nullable AttributeValue value = find(attribute, AttributeValue.Type.N);
        return value == null ? OptionalLong.empty() : OptionalLong.of(parse(attribute, value, min, max));
    }

    /** Whether there is a number within bounds, a whole one or a fraction. */
    public boolean isBetween(String attribute, long min, long max) {
        @Nullable AttributeValue value = attributes.get(attribute);
        if (value == null || value.type() != AttributeValue.Type.N) {
            return false;
        }
        try {
            BigDecimal number = new BigDecimal(value.n());
            return number.compareTo(BigDecimal.valueOf(min)) >= 0 && number.compareTo(BigDecimal.valueOf(max)) <= 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** A sequence number, if it is there. */
    public OptionalLong findSequenceNumber(String attribute) {
        return findNumber(attribute, 0, LAST_SEQUENCE_NUMBER);
    }

    /** Microseconds since the epoch, if they are there. */
    public OptionalLong findTimestamp(String attribute) {
        return findNumber(attribute, 0, LAST_TIMESTAMP);
    }

    /** The time at which the item ceases to exist, if there is one. */
    public Optional<Instant> findExpiry() {
        OptionalLong seconds =
                findNumber(Tables.TIME_TO_LIVE, Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond());
        return seconds.isPresent() ? Optional.of(Instant.ofEpochSecond(seconds.getAsLong())) : Optional.empty();
    }

    /** A text. */
    public String text(String attribute) {
        return findText(attribute).orElseThrow(() -> missing(attribute));
    }

    /** A text, if it is there. */
    public Optional<String> findText(String attribute) {
        return Optional.ofNullable(find(attribute, AttributeValue.Type.S)).map(AttributeValue::s);
    }

    /** Bytes. */
    public SdkBytes binary(String attribute) {
        return Optional.ofNullable(find(attribute, AttributeValue.Type.B))
                .map(AttributeValue::b)
                .orElseThrow(() -> missing(attribute));
    }

    /** Serialized data, if it is there; without a serializer's identifier it is 0. */
    public Optional<Payload> findPayload(String attribute, String serializer, String manifest) {
        return has(attribute)
                ? Optional.of(new Payload(
                        binary(attribute),
                        (int) findNumber(serializer, Integer.MIN_VALUE, Integer.MAX_VALUE)
                                .orElse(0),
                        findText(manifest).orElse("")))
                : Optional.empty();
    }

    /** Serialized data. */
    public Payload payload(String attribute, String serializer, String manifest) {
        return new Payload(
                binary(attribute), serializer(serializer), findText(manifest).orElse(""));
    }

    /** The identifier of a serializer. */
    public int serializer(String attribute) {
        return (int) number(attribute, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** A set of texts; an empty one if it is not there. */
    public Set<String> texts(String attribute) {
        @Nullable AttributeValue value = find(attribute, AttributeValue.Type.SS);
        return value == null ? Set.of() : Set.copyOf(value.ss());
    }

    /** Sequence numbers by name; none if the attribute is not there. */
    public Map<String, Long> sequenceNumbers(String attribute) {
        @Nullable AttributeValue value = find(attribute, AttributeValue.Type.M);
        if (value == null) {
            return Map.of();
        }
        Map<String, Long> numbers = new HashMap<>();
        value.m().forEach((name, number) -> {
            if (number.type() != AttributeValue.Type.N) {
                throw wrong(attribute, "holds " + typeOf(number) + " where a number belongs");
            }
            numbers.put(name, parse(attribute, number, 0, LAST_SEQUENCE_NUMBER));
        });
        return numbers;
    }

    /** What a map holds, to be read like an item. */
    public Item map(String attribute) {
        @Nullable AttributeValue value = find(attribute, AttributeValue.Type.M);
        if (value == null) {
            throw missing(attribute);
        }
        return new Item(table, value.m());
    }

    /** A flag; false if it is not there. */
    public boolean flag(String attribute) {
        @Nullable AttributeValue value = find(attribute, AttributeValue.Type.BOOL);
        return value != null && value.bool();
    }

    /** Some of its attributes, as they are: a key. */
    public Map<String, AttributeValue> key(String... names) {
        Map<String, AttributeValue> key = new HashMap<>();
        for (String name : names) {
            @Nullable AttributeValue value = attributes.get(name);
            if (value == null) {
                throw missing(name);
            }
            key.put(name, value);
        }
        return Map.copyOf(key);
    }

    /** An attribute for a message, whatever it is. */
    public String shown(String attribute) {
        @Nullable AttributeValue value = attributes.get(attribute);
        if (value == null) {
            return "missing";
        }
        return switch (value.type()) {
            case S -> shorten(value.s());
            case N -> shorten(value.n());
            default -> typeOf(value);
        };
    }

    /** An exception that names the item and the attribute, and says what is wrong with it. */
    public ItemException wrong(String attribute, String what) {
        return new ItemException("The item " + shownKey() + " of table '" + table + "' is not as it should be: '"
                + attribute + "' " + what + ". Another program may have written to this table.");
    }

    /** The item's key for a message. */
    public String shownKey() {
        List<String> shown = new ArrayList<>();
        for (String name : KEYS) {
            if (has(name)) {
                shown.add(name + " = " + shown(name));
            }
        }
        return "(" + String.join(", ", shown) + ")";
    }

    private @Nullable AttributeValue find(String attribute, AttributeValue.Type type) {
        @Nullable AttributeValue value = attributes.get(attribute);
        if (value != null && value.type() != type) {
            throw wrong(attribute, "is " + typeOf(value) + ", not " + nameOf(type));
        }
        return value;
    }

    private long parse(String attribute, AttributeValue value, long min, long max) {
        try {
            long number = Long.parseLong(value.n());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) { // a fraction, or more than 64 bits: not within bounds either
            throw outside(attribute, value, min, max);
        }
        throw outside(attribute, value, min, max);
    }

    private ItemException outside(String attribute, AttributeValue value, long min, long max) {
        return wrong(attribute, "is " + shorten(value.n()) + ", but must be a whole number from " + min + " to " + max);
    }

    private ItemException missing(String attribute) {
        return wrong(attribute, "is missing");
    }

    private static String typeOf(AttributeValue value) {
        return nameOf(value.type());
    }

    private static String nameOf(AttributeValue.Type type) {
        return switch (type) {
            case S -> "a string";
            case N -> "a number";
            case B -> "binary";
            case SS -> "a set of strings";
            case M -> "a map";
            case BOOL -> "a boolean";
            default -> "of type " + type;
        };
    }

    private static String shorten(String text) {
        return text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "…" : text;
    }
}
