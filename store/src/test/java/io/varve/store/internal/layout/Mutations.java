package io.varve.store.internal.layout;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.varve.store.ItemException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What a foreign program could leave in the place of an item: one to three attributes taken away, added, of another type, out of
 * bounds or cut short. A mutation follows from its seed alone.
 */
public final class Mutations {
    private static final long MANY = Long.getLong("varve.foreign-items", 10_000);
    private static final Long ONLY_SEED = Long.getLong("varve.foreign-items.seed");
    private static final String TABLE = "the-table";

    private static final List<String> NUMBERS = List.of(
            "0",
            "-0",
            "1",
            "-1",
            "7",
            "99",
            "100",
            "3",
            "1024",
            "10001",
            "2147483647",
            "2147483648",
            "-2147483649",
            "4294967296",
            "4294967297",
            "253402300799999999",
            "253402300800000000",
            "9223372036854765807",
            "9223372036854765808",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999999999999999999999",
            "1.5",
            "0.00000000000000000000000000000000000001",
            "1E+125",
            "-1E-130");

    private static final List<String> TEXTS = List.of(
            "",
            "-",
            "--",
            "_",
            "_mgmt",
            "0",
            "gz",
            "gzip",
            "carts-",
            "carts-1024",
            "carts--1",
            "carts-99999999999999999999",
            "journal-P-",
            "journal-P-Cart|7",
            "journal-P-Cart|7-",
            "journal-P-Cart|7-007",
            "journal-P-Cart|7-13",
            "journal-P-Cart|7-92233720368547658",
            "journal-P-Cart|7-92233720368547759",
            "journal-P-Cart|7-99999999999999999999",
            "journal-SL-Cart|7-0",
            "journal-ID-Cart|7",
            "journal-META",
            "\u0000",
            "\ud800",
            "x".repeat(5000));

    private Mutations() {}

    /** An item that was read from the table of the tests. */
    public static Item item(Map<String, AttributeValue> attributes) {
        return new Item(TABLE, attributes);
    }

    /** Reads mutations of an item: each is a value, or an {@link ItemException} that names table, key and attribute. */
    public static void check(Map<String, AttributeValue> item, Consumer<Item> read) {
        read.accept(item(item));
        int refused = 0;
        for (long seed : ONLY_SEED == null ? LongStream.range(0, MANY).toArray() : new long[] {ONLY_SEED}) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L);
            Map<String, AttributeValue> mutant = new HashMap<>(item);
            Set<String> touched = mutate(mutant, random);
            try {
                read.accept(item(mutant));
            } catch (ItemException e) {
                checkMessage(e, mutant, touched, seed);
                refused++;
            } catch (RuntimeException | Error e) {
                fail("seed %s of %s, attributes %s: %s".formatted(seed, item, touched, e), e);
            }
        }
        assertThat(ONLY_SEED == null ? refused : 1)
                .as("mutations that were refused")
                .isPositive();
    }

    private static void checkMessage(
            ItemException refused, Map<String, AttributeValue> mutant, Set<String> touched, long seed) {
        String message = requireNonNull(refused.getMessage());
        assertThat(message).as("seed %s", seed).contains("table '" + TABLE + "'");
        assertThat(touched)
                .as("seed %s: %s", seed, message)
                .anyMatch(attribute -> message.contains("'" + attribute + "'"));
        for (String key : List.of("par", "name_slice")) {
            AttributeValue value = mutant.get(key);
            if (value != null && value.s() != null && value.s().length() < 100) {
                assertThat(message).as("seed %s", seed).contains(key + " = " + value.s());
            }
        }
    }

    private static Set<String> mutate(Map<String, AttributeValue> item, Random random) {
        List<String> names = List.copyOf(new TreeSet<>(item.keySet()));
        Set<String> touched = new TreeSet<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String name = names.get(random.nextInt(names.size()));
            touched.add(name);
            AttributeValue old = item.get(name);
            if (old == null || random.nextInt(4) == 0) {
                item.remove(name);
            } else {
                item.put(name, random.nextBoolean() ? similar(old, random) : any(random, 2));
            }
        }
        return touched;
    }

    /** A value of the same type. */
    private static AttributeValue similar(AttributeValue old, Random random) {
        return switch (old.type()) {
            case N -> number(random);
            case S ->
                random.nextBoolean()
                        ? AttributeValue.fromS(
                                old.s().substring(0, random.nextInt(old.s().length() + 1)))
                        : text(random);
            case B ->
                AttributeValue.fromB(SdkBytes.fromByteArray(damaged(old.b().asByteArray(), random)));
            case SS -> AttributeValue.fromSs(List.of(pick(TEXTS, random)));
            case M -> map(random, 1);
            default -> any(random, 1);
        };
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        byte[] shorter = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        if (shorter.length > 0) {
            shorter[random.nextInt(shorter.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return shorter;
    }

    private static AttributeValue any(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 11 : 6)) {
            case 0 -> text(random);
            case 1 -> number(random);
            case 2 -> AttributeValue.fromB(SdkBytes.fromUtf8String(pick(TEXTS, random)));
            case 3 -> AttributeValue.fromBool(random.nextBoolean());
            case 4 -> AttributeValue.fromNul(true);
            case 5 -> AttributeValue.builder().build();
            case 6 -> AttributeValue.fromSs(List.of(pick(TEXTS, random)));
            case 7 -> AttributeValue.fromNs(List.of(pick(NUMBERS, random)));
            case 8 -> AttributeValue.fromBs(List.of(SdkBytes.fromUtf8String("x")));
            case 9 -> AttributeValue.fromL(List.of(any(random, depth - 1)));
            default -> map(random, depth - 1);
        };
    }

    private static AttributeValue map(Random random, int depth) {
        Map<String, AttributeValue> entries = new HashMap<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            entries.put(pick(TEXTS, random), any(random, depth));
        }
        return AttributeValue.fromM(entries);
    }

    private static AttributeValue number(Random random) {
        return AttributeValue.fromN(
                random.nextInt(4) == 0
                        ? Long.toString(random.nextLong() >> random.nextInt(64))
                        : pick(NUMBERS, random));
    }

    private static AttributeValue text(Random random) {
        return AttributeValue.fromS(pick(TEXTS, random));
    }

    private static <T> T pick(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    /** Attributes as names and values in turn: numbers, texts and what is an attribute already. */
    public static Map<String, AttributeValue> attributes(Object... namesAndValues) {
        Map<String, AttributeValue> item = new HashMap<>();
        List<Object> rest = new ArrayList<>(List.of(namesAndValues));
        while (!rest.isEmpty()) {
            String name = (String) rest.remove(0);
            Object value = rest.remove(0);
            if (value instanceof Number number) {
                item.put(name, AttributeValue.fromN(number.toString()));
            } else if (value instanceof String text) {
                item.put(name, AttributeValue.fromS(text));
            } else if (value instanceof byte[] bytes) {
                item.put(name, AttributeValue.fromB(SdkBytes.fromByteArray(bytes)));
            } else {
                item.put(name, (AttributeValue) value);
            }
        }
        return item;
    }
}
