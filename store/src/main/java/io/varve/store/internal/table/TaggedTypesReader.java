package io.varve.store.internal.table;

import io.varve.store.TableException;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.TaggedTypes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;

/** Reads which entity types a query by tag has to look at. */
public final class TaggedTypesReader {
    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;

    /** For a journal-name of a table. */
    public TaggedTypesReader(Gateway gateway, String table, JournalKeys keys) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
    }

    /**
     * The entity types that have tagged events, the empty one among them if there are such ids without a type; read anew each
     * time, consistently. Fails if there are more than META can hold.
     */
    public CompletionStage<Set<String>> taggedTypes() {
        return gateway.call(Call.GET_ITEM, get(table, keys), gateway.budget()).thenApply(response -> {
            TaggedTypes stored = TaggedTypes.decode(meta(response.item()));
            if (!stored.complete()) {
                throw new TableException("Events of the journal '" + keys.journalName() + "' in table '" + table
                        + "' cannot be queried by tag: more than " + TaggedTypes.MAX_TYPES
                        + " entity types have tagged events, or one with a name of more than "
                        + TaggedTypes.MAX_TYPE_BYTES
                        + " bytes, so some events would be left out. Query by slice instead; docs/design/journal.md says how to"
                        + " allow queries by tag again.");
            }
            return stored.types();
        });
    }

    /** The attribute alone is read; the item still has a name. */
    private Item meta(Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> item = new HashMap<>(attributes);
        item.putAll(keys.metaKey());
        return new Item(table, item);
    }

    static GetItemRequest get(String table, JournalKeys keys) {
        return GetItemRequest.builder()
                .tableName(table)
                .key(keys.metaKey())
                .consistentRead(true)
                .projectionExpression(TaggedTypes.ATTRIBUTE)
                .build();
    }
}
