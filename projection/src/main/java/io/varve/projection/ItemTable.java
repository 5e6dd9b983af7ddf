package io.varve.projection;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A table of a read model that has one item for each entity. Varve adds an attribute to each item, {@code varve-} and the name of the
 * projection, which says what the item reflects.
 *
 * @param name the name of the table
 * @param key the key of the item of an entity, of its persistence id
 * @param shared whether others put items into the table under the same keys: another projection, or your own code. Then a removed item
 *     loses only the attributes of this projection
 * @param keepRemoved how long the key of a removed item stays, with Varve's attribute, if it is not shared
 * @param expires the attribute with the time (in seconds) after which DynamoDB may delete it: the table's time-to-live attribute
 */
public record ItemTable(
        String name,
        Function<String, Map<String, AttributeValue>> key,
        boolean shared,
        Duration keepRemoved,
        String expires) {
    private static final Duration A_DAY = Duration.ofDays(1);

    public ItemTable {
        if (keepRemoved.compareTo(Duration.ofMinutes(10)) < 0) {
            throw new IllegalArgumentException("The keys of removed items of table '" + name
                    + "' must stay for 10 minutes or longer, not for " + keepRemoved
                    + ": until then an instance that was replaced could bring them back.");
        }
    }

    /** A table whose hash key is a text attribute with the persistence id; there is no sort key. */
    public static ItemTable byPersistenceId(String table, String keyAttribute) {
        return of(table, persistenceId -> Map.of(keyAttribute, AttributeValue.fromS(persistenceId)));
    }

    /** A table whose keys are made of persistence ids: different ones for different entities, and always the same. */
    public static ItemTable of(String table, Function<String, Map<String, AttributeValue>> key) {
        return new ItemTable(table, key, false, A_DAY, "expires");
    }

    /** The same for items that others write, too. */
    public ItemTable withSharedItems() {
        return new ItemTable(name, key, true, keepRemoved, expires);
    }

    /** The same with another time-to-live attribute, and another time after which the key of a removed item goes. */
    public ItemTable withRemovedItems(Duration keep, String expiresAttribute) {
        return new ItemTable(name, key, shared, keep, expiresAttribute);
    }
}
