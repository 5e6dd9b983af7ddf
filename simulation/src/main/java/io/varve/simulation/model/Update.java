package io.varve.simulation.model;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** An update expression: SET, REMOVE, ADD and DELETE. */
final class Update {
    private interface Term {
        AttributeValue of(Map<String, AttributeValue> before);
    }

    private interface Action {
        void apply(Map<String, AttributeValue> before, Map<String, AttributeValue> after);
    }

    private static final Set<String> CLAUSES = Set.of("SET", "REMOVE", "ADD", "DELETE");

    private final Tokens tokens;
    private final List<Action> actions = new ArrayList<>();

    private Update(Tokens tokens) {
        this.tokens = tokens;
        while (!tokens.isAtEnd()) {
            clause(tokens.take().toUpperCase(Locale.ROOT));
        }
    }

    static Update parse(String text, Map<String, String> names, Map<String, AttributeValue> values) {
        return new Update(new Tokens(text == null ? "" : text, names, values));
    }

    /** The item as it is afterwards; every term sees it as it was before. */
    Map<String, AttributeValue> apply(Map<String, AttributeValue> before) {
        Map<String, AttributeValue> after = new HashMap<>(before);
        actions.forEach(action -> action.apply(before, after));
        return after;
    }

    private void clause(String clause) {
        if (!CLAUSES.contains(clause)) {
            throw Errors.validation("Invalid UpdateExpression: " + clause);
        }
        do {
            String name = tokens.name();
            actions.add(
                    switch (clause) {
                        case "SET" -> set(name);
                        case "REMOVE" -> (before, after) -> after.remove(name);
                        case "ADD" -> add(name, tokens.value());
                        default -> delete(name, tokens.value());
                    });
        } while (tokens.takeIf(","));
    }

    private Action set(String name) {
        tokens.expect("=");
        Term left = term();
        if (tokens.takeIf("+")) {
            Term right = term();
            return (before, after) -> after.put(name, sum(left.of(before), right.of(before), 1));
        }
        if (tokens.takeIf("-")) {
            Term right = term();
            return (before, after) -> after.put(name, sum(left.of(before), right.of(before), -1));
        }
        return (before, after) -> after.put(name, left.of(before));
    }

    private Term term() {
        if (tokens.isValue()) {
            AttributeValue value = tokens.value();
            return before -> value;
        }
        if (tokens.takeIf("if_not_exists")) {
            tokens.expect("(");
            String name = tokens.name();
            tokens.expect(",");
            Term otherwise = term();
            tokens.expect(")");
            return before -> Optional.ofNullable(before.get(name)).orElseGet(() -> otherwise.of(before));
        }
        String name = tokens.name();
        return before -> Optional.ofNullable(before.get(name))
                .orElseThrow(() -> Errors.validation(
                        "The provided expression refers to an attribute that does not exist in the item"));
    }

    private static AttributeValue sum(AttributeValue a, AttributeValue b, int sign) {
        if (a.n() == null || b.n() == null) {
            throw Errors.validation("An operand in the update expression has an incorrect data type");
        }
        BigDecimal second = new BigDecimal(b.n()).multiply(BigDecimal.valueOf(sign));
        return AttributeValue.fromN(new BigDecimal(a.n()).add(second).toPlainString());
    }

    private static Action add(String name, AttributeValue value) {
        return (before, after) -> {
            AttributeValue old = before.get(name);
            if (old == null) {
                after.put(name, value);
            } else if (value.n() != null) {
                after.put(name, sum(old, value, 1));
            } else if (value.hasSs() && old.hasSs()) {
                Set<String> all = new LinkedHashSet<>(old.ss());
                all.addAll(value.ss());
                after.put(name, AttributeValue.fromSs(List.copyOf(all)));
            } else {
                throw Errors.validation("An operand in the update expression has an incorrect data type");
            }
        };
    }

    private static Action delete(String name, AttributeValue value) {
        return (before, after) -> {
            AttributeValue old = before.get(name);
            if (old == null) {
                return;
            }
            List<String> left =
                    old.ss().stream().filter(one -> !value.ss().contains(one)).toList();
            if (left.isEmpty()) {
                after.remove(name);
            } else {
                after.put(name, AttributeValue.fromSs(left));
            }
        };
    }
}
