package io.varve.store.internal.table;

import io.varve.store.TableException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.TaggedTypes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * Notes in META which entity types have tagged events, before the first of them is stored.
 *
 * <p>The set is bounded. An application whose types have no bound keeps its events, but the types beyond the bound are not
 * noted; a member of its own says so, and from then on queries by tag fail rather than leave out events in silence.
 */
public final class TaggedTypeRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(TaggedTypeRegistry.class);
    private static final String IF_META = "attribute_exists(" + Attributes.PARTITION + ")";
    private static final String IF_ROOM = IF_META + " AND (attribute_not_exists(" + TaggedTypes.ATTRIBUTE + ") OR size("
            + TaggedTypes.ATTRIBUTE + ") < :most OR contains(" + TaggedTypes.ATTRIBUTE + ", :member))";

    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final ConcurrentMap<String, CompletableFuture<Void>> members = new ConcurrentHashMap<>();
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile boolean full;

    /** For a journal-name of a table. */
    public TaggedTypeRegistry(Gateway gateway, String table, JournalKeys keys) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
    }

    /** These are in META already. */
    public void known(TaggedTypes stored) {
        stored.types().forEach(type -> members.put(TaggedTypes.member(type), CompletableFuture.completedFuture(null)));
        if (!stored.complete()) {
            members.put(TaggedTypes.INCOMPLETE, CompletableFuture.completedFuture(null));
        }
    }

    /** Completes when META holds the entity type, or says that it does not hold all; at once if that is known. */
    public CompletionStage<Void> register(String type, Budget budget) {
        String member = TaggedTypes.member(type);
        boolean known = members.containsKey(member);
        return known || (!full && TaggedTypes.canBeMember(type)) ? once(member, budget) : leaveOut(type, budget);
    }

    /** Adds a member, with one request for all that ask for it at a time; a failure is not kept. */
    private CompletionStage<Void> once(String member, Budget budget) {
        CompletableFuture<Void> adding = new CompletableFuture<>();
        CompletableFuture<Void> earlier = members.putIfAbsent(member, adding);
        if (earlier != null) {
            return earlier;
        }
        add(member, budget).whenComplete((added, thrown) -> {
            if (thrown == null) {
                adding.complete(null);
            } else {
                members.remove(member, adding);
                adding.completeExceptionally(Causes.unwrap(thrown));
            }
        });
        return adding;
    }

    private CompletionStage<Void> add(String member, Budget budget) {
        return gateway.updateItem(update(table, keys, member), budget).thenCompose(result -> {
            if (result instanceof WriteResult.Applied) {
                return CompletableFuture.completedFuture(null);
            }
            if (member.equals(TaggedTypes.INCOMPLETE)) {
                throw new TableException("The META item of the journal '" + keys.journalName() + "' in table '" + table
                        + "' has gone. Nothing was written; restart the nodes that use this journal.");
            }
            members.remove(member);
            return leaveOut(member, budget).thenRun(() -> full = true);
        });
    }

    private CompletionStage<Void> leaveOut(String type, Budget budget) {
        return once(TaggedTypes.INCOMPLETE, budget).thenRun(() -> {
            if (warned.compareAndSet(false, true)) {
                warn(type);
            }
        });
    }

    private void warn(String type) {
        LOG.warn(
                "The journal '{}' in table '{}' has tagged events of more than {} entity types, or of one whose name has more"
                        + " than {} bytes, such as '{}'. The events are stored, but queries by tag would leave some out and"
                        + " will fail. An entity type is what precedes the first '|' of a persistence id: it should not be"
                        + " different for each entity.",
                keys.journalName(),
                table,
                TaggedTypes.MAX_TYPES,
                TaggedTypes.MAX_TYPE_BYTES,
                type);
    }

    static UpdateItemRequest update(String table, JournalKeys keys, String member) {
        UpdateItemRequest.Builder update = UpdateItemRequest.builder()
                .tableName(table)
                .key(keys.metaKey())
                .updateExpression("ADD " + TaggedTypes.ATTRIBUTE + " :members");
        AttributeValue members = AttributeValue.fromSs(List.of(member));
        return member.equals(TaggedTypes.INCOMPLETE)
                ? update.conditionExpression(IF_META)
                        .expressionAttributeValues(Map.of(":members", members))
                        .build()
                : update.conditionExpression(IF_ROOM)
                        .expressionAttributeValues(Map.of(
                                ":members", members,
                                ":member", AttributeValue.fromS(member),
                                ":most", EventItems.number(TaggedTypes.MAX_TYPES)))
                        .build();
    }
}
