package io.varve.store.internal.offset;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What becomes of the item of an entity. */
public sealed interface ItemWrite {

    /**
     * Some attributes change, and the others stay: clauses of an update expression without their keywords, which may be empty.
     *
     * @param condition what must hold besides, of the caller's own
     */
    record Update(
            String set,
            String remove,
            String add,
            String delete,
            Map<String, String> names,
            Map<String, AttributeValue> values,
            Optional<String> condition)
            implements ItemWrite {
        /** Nothing changes but the fence. */
        public static final Update NOTHING = new Update("", "", "", "", Map.of(), Map.of(), Optional.empty());
    }

    /** It has these attributes and its key, and no others. */
    record Replace(Map<String, AttributeValue> attributes) implements ItemWrite {}

    /**
     * Nothing is left but its key and the fence, for a while: it must not come to life again.
     *
     * @param attributes what goes of an item that others write to, too
     */
    record Remove(Set<String> attributes) implements ItemWrite {}
}
