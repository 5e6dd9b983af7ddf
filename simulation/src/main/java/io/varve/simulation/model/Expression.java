package io.varve.simulation.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A condition on an item. */
final class Expression {
    private interface Operand {
        Optional<AttributeValue> of(Map<String, AttributeValue> item);
    }

    private final Tokens tokens;

    private Expression(Tokens tokens) {
        this.tokens = tokens;
    }

    /** What an expression says; no expression says yes. */
    static Predicate<Map<String, AttributeValue>> parse(
            String text, Map<String, String> names, Map<String, AttributeValue> values) {
        if (text == null) {
            return item -> true;
        }
        Tokens tokens = new Tokens(text, names, values);
        Predicate<Map<String, AttributeValue>> condition = new Expression(tokens).or();
        if (!tokens.isAtEnd()) {
            throw Errors.validation("Invalid expression, there is more than expected: " + text);
        }
        return condition;
    }

    private Predicate<Map<String, AttributeValue>> or() {
        Predicate<Map<String, AttributeValue>> left = and();
        while (tokens.takeIf("OR")) {
            left = left.or(and());
        }
        return left;
    }

    private Predicate<Map<String, AttributeValue>> and() {
        Predicate<Map<String, AttributeValue>> left = not();
        while (tokens.takeIf("AND")) {
            left = left.and(not());
        }
        return left;
    }

    private Predicate<Map<String, AttributeValue>> not() {
        return tokens.takeIf("NOT") ? not().negate() : condition();
    }

    private Predicate<Map<String, AttributeValue>> condition() {
        if (tokens.takeIf("(")) {
            Predicate<Map<String, AttributeValue>> inner = or();
            tokens.expect(")");
            return inner;
        }
        String word = tokens.peek().orElse("").toLowerCase(Locale.ROOT);
        return switch (word) {
            case "attribute_exists", "attribute_not_exists" -> {
                tokens.take();
                tokens.expect("(");
                String name = tokens.name();
                tokens.expect(")");
                yield item -> item.containsKey(name) == word.equals("attribute_exists");
            }
            case "begins_with" -> {
                tokens.take();
                Operand[] pair = arguments();
                yield item -> both(pair[0].of(item), pair[1].of(item), Expression::beginsWith);
            }
            case "contains" -> {
                tokens.take();
                Operand[] pair = arguments();
                yield item -> both(pair[0].of(item), pair[1].of(item), Expression::contains);
            }
            default -> comparison();
        };
    }

    private Operand[] arguments() {
        tokens.expect("(");
        Operand first = operand();
        tokens.expect(",");
        Operand second = operand();
        tokens.expect(")");
        return new Operand[] {first, second};
    }

    private Predicate<Map<String, AttributeValue>> comparison() {
        Operand left = operand();
        if (tokens.takeIf("BETWEEN")) {
            Operand from = operand();
            tokens.expect("AND");
            Operand to = operand();
            if (both(from.of(Map.of()), to.of(Map.of()), (low, high) -> ordered(low, high, ">"))) {
                throw Errors.validation(
                        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound");
            }
            return item -> both(left.of(item), from.of(item), (v, bound) -> ordered(v, bound, ">="))
                    && both(left.of(item), to.of(item), (v, bound) -> ordered(v, bound, "<="));
        }
        if (tokens.takeIf("IN")) {
            tokens.expect("(");
            List<Operand> among = new ArrayList<>();
            do {
                among.add(operand());
            } while (tokens.takeIf(","));
            tokens.expect(")");
            return item -> among.stream().anyMatch(one -> both(left.of(item), one.of(item), Values::equal));
        }
        String operator = tokens.take();
        Operand right = operand();
        return switch (operator) {
            case "=" -> item -> both(left.of(item), right.of(item), Values::equal);
            // A missing attribute differs from everything.
            case "<>" -> item -> !both(left.of(item), right.of(item), Values::equal);
            case "<", "<=", ">", ">=" -> item -> both(left.of(item), right.of(item), (a, b) -> ordered(a, b, operator));
            default -> throw Errors.validation("Invalid expression, no operator: " + operator);
        };
    }

    private Operand operand() {
        if (tokens.isValue()) {
            AttributeValue value = tokens.value();
            return item -> Optional.of(value);
        }
        if (tokens.takeIf("size")) {
            tokens.expect("(");
            String name = tokens.name();
            tokens.expect(")");
            return item -> Optional.ofNullable(item.get(name))
                    .map(value -> AttributeValue.fromN(Integer.toString(Values.length(value))));
        }
        String name = tokens.name();
        return item -> Optional.ofNullable(item.get(name));
    }

    private interface Comparison {
        boolean holds(AttributeValue a, AttributeValue b);
    }

    private static boolean both(Optional<AttributeValue> a, Optional<AttributeValue> b, Comparison comparison) {
        return a.isPresent() && b.isPresent() && comparison.holds(a.get(), b.get());
    }

    private static boolean ordered(AttributeValue a, AttributeValue b, String operator) {
        if (!Values.haveOrder(a, b)) {
            return false;
        }
        int order = Values.compare(a, b);
        return switch (operator) {
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    private static boolean beginsWith(AttributeValue value, AttributeValue prefix) {
        return value.s() != null && prefix.s() != null && value.s().startsWith(prefix.s());
    }

    private static boolean contains(AttributeValue value, AttributeValue part) {
        return switch (value.type()) {
            case S -> part.s() != null && value.s().contains(part.s());
            case SS -> part.s() != null && value.ss().contains(part.s());
            case L -> value.l().stream().anyMatch(element -> Values.equal(element, part));
            default -> false;
        };
    }
}
