package io.varve.projection;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** One change of the item of an entity; the handler does not name the key. */
public sealed interface ItemChange {

    /** The item becomes this; attributes that are not named go. */
    static ItemChange put(Map<String, AttributeValue> attributes) {
        return new Put(attributes);
    }

    /** The item goes. */
    static ItemChange delete() {
        return new Delete();
    }

    /** An update, to which clauses are added; as it is, it changes nothing. */
    static Update update() {
        return new Update("", "", "", "", Map.of(), Map.of(), Optional.empty());
    }

    /** Attributes of an item, all of them. */
    record Put(Map<String, AttributeValue> attributes) implements ItemChange {}

    /** The end of an item. */
    record Delete() implements ItemChange {}

    /**
     * The clauses of an update expression, without their keywords; names begin with {@code #} and values with {@code :} as in DynamoDB.
     */
    record Update(
            String set,
            String remove,
            String add,
            String delete,
            Map<String, String> names,
            Map<String, AttributeValue> values,
            Optional<String> condition)
            implements ItemChange {

        /** With this SET clause, such as {@code "#total = #total + :price, city = :city"}. */
        public Update set(String actions) {
            return new Update(actions, remove, add, delete, names, values, condition);
        }

        /** With this REMOVE clause. */
        public Update remove(String actions) {
            return new Update(set, actions, add, delete, names, values, condition);
        }

        /** With this ADD clause. */
        public Update add(String actions) {
            return new Update(set, remove, actions, delete, names, values, condition);
        }

        /** With this DELETE clause, which takes elements from sets. */
        public Update delete(String actions) {
            return new Update(set, remove, add, actions, names, values, condition);
        }

        /** With a name, such as {@code #total}, for an attribute. */
        public Update name(String name, String attribute) {
            return new Update(set, remove, add, delete, and(names, name, attribute), values, condition);
        }

        /** With a value, such as {@code :price}. */
        public Update value(String name, AttributeValue value) {
            return new Update(set, remove, add, delete, names, and(values, name, value), condition);
        }

        /** Only if this holds; else the event fails, as if the handler had. */
        public Update condition(String expression) {
            return new Update(set, remove, add, delete, names, values, Optional.of(expression));
        }

        private static <T> Map<String, T> and(Map<String, T> some, String name, T more) {
            Map<String, T> all = new HashMap<>(some);
            all.put(name, more);
            return Map.copyOf(all);
        }
    }
}
