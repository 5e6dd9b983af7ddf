package io.varve.store.internal.layout;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The entity types that have tagged events, as META keeps them: a set of strings.
 *
 * @param complete whether all of them are in the set; not, if there were too many
 */
public record TaggedTypes(Set<String> types, boolean complete) {
    /** The attribute of META. */
    public static final String ATTRIBUTE = "tagged_types";

    /** How many members the set may have. */
    public static final int MAX_TYPES = 1_000;

    /** How long a member may be, so that the largest set fits into the item. */
    public static final int MAX_TYPE_BYTES = 256;

    /** The member that says that not all types are in the set. */
    public static final String INCOMPLETE = "||";

    /** No types. */
    public static final TaggedTypes NONE = new TaggedTypes(Set.of(), true);

    /** Stands for the empty type, which DynamoDB refuses in a set. A type never contains this character. */
    private static final String EMPTY_TYPE = "|";

    /** The member of the set for an entity type. */
    public static String member(String type) {
        return type.isEmpty() ? EMPTY_TYPE : type;
    }

    /** Whether an entity type is short enough for the set. */
    public static boolean canBeMember(String type) {
        return type.getBytes(StandardCharsets.UTF_8).length <= MAX_TYPE_BYTES;
    }

    /** Reads them from the META item, in which they may be missing. */
    public static TaggedTypes decode(Item item) {
        Set<String> members = item.texts(ATTRIBUTE);
        return new TaggedTypes(
                members.stream()
                        .filter(member -> !member.equals(INCOMPLETE))
                        .map(member -> member.equals(EMPTY_TYPE) ? "" : member)
                        .collect(Collectors.toUnmodifiableSet()),
                !members.contains(INCOMPLETE));
    }
}
