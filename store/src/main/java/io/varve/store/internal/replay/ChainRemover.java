package io.varve.store.internal.replay;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Delete;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Removes what unfinished chains of transactions have left.
 *
 * <p><b>Given up first.</b> One transaction takes the chain's first event away; {@code append.WriteQueue} explains why this and the
 * writer, should it still be alive, cannot both win. From then on nothing can be added, and no reader delivers what is left,
 * because its end is missing. So a recovery need not wait until all of it is gone.
 *
 * <p><b>Then removed</b>, from the end to the beginning, so that it can be resumed by anybody: as long as anything is left, the
 * chain's second event is, so that the first number alone can be used by then. (Predecessors overwrite events anywhere.) Each
 * deletion is bound to the chain's id, because one that is late must not hit an event that has the number now.
 */
public final class ChainRemover {
    private static final Logger LOG = LoggerFactory.getLogger(ChainRemover.class);
    private static final String THIS_CHAIN = Attributes.BATCH + " = :batch";
    private static final String GONE_OR_THIS_CHAIN =
            "attribute_not_exists(" + Attributes.PARTITION + ") OR " + THIS_CHAIN;
    private static final int GROUPS_AT_ONCE = 4;

    private final JournalTable table;

    /** For the chains in a table. */
    public ChainRemover(JournalTable table) {
        this.table = table;
    }

    /** Takes the first event away unless the last one has arrived; false if it has. */
    CompletionStage<Boolean> giveUp(UnfinishedChain chain, Budget budget) {
        TransactWriteItem lastIsMissing = TransactWriteItem.builder()
                .conditionCheck(ConditionCheck.builder()
                        .tableName(table.name())
                        .key(table.keys().eventKey(chain.persistenceId(), chain.end()))
                        .conditionExpression("attribute_not_exists(" + Attributes.BATCH + ") OR NOT " + THIS_CHAIN)
                        .expressionAttributeValues(batch(chain))
                        .build())
                .build();
        return table.gateway()
                .transactWriteItems(List.of(deletion(chain, chain.first()), lastIsMissing), budget)
                .thenApply(result -> {
                    boolean finished = result instanceof WriteResult.ConditionFailed failed
                            && failed.existing().containsKey(1); // if only the first is: it is another's already
                    if (!finished) {
                        LOG.info(
                                "An unfinished atomic write of '{}' that began at {} is given up; it was never acknowledged.",
                                chain.persistenceId(),
                                chain.first());
                    }
                    return !finished;
                });
    }

    /** Removes what is left, after it was given up. */
    public CompletionStage<Void> remove(UnfinishedChain chain, Budget budget) {
        long second = chain.first() + 1;
        long lowest = JournalKeys.group(second);
        long highest = JournalKeys.group(chain.last());
        return Concurrently.run(
                        () -> LongStream.iterate(highest, group -> group > lowest, group -> group - 1)
                                .iterator(),
                        GROUPS_AT_ONCE,
                        group -> removeDown(chain, group, 0, budget))
                .thenCompose(others -> removeDown(chain, lowest, JournalKeys.number(second), budget));
    }

    private CompletionStage<Void> removeDown(UnfinishedChain chain, long group, int from, Budget budget) {
        Groups groups = new Groups(table, chain.persistenceId());
        return Loop.walk(
                Groups.LAST_NUMBER,
                to -> groups.pageDown(group, from, to, budget).thenCompose(page -> {
                    List<TransactWriteItem> deletions = page.events().stream()
                            .filter(chain::has)
                            .map(event -> deletion(chain, event.sequenceNumber()))
                            .toList();
                    // If somebody else has removed them meanwhile, and even used a number again, the next look shows
                    // it.
                    return deletions.isEmpty()
                            ? CompletableFuture.completedFuture(page.below())
                            : table.gateway()
                                    .transactWriteItems(deletions, budget)
                                    .thenApply(done -> Optional.of(to));
                }));
    }

    private TransactWriteItem deletion(UnfinishedChain chain, long sequenceNumber) {
        return TransactWriteItem.builder()
                .delete(Delete.builder()
                        .tableName(table.name())
                        .key(table.keys().eventKey(chain.persistenceId(), sequenceNumber))
                        .conditionExpression(GONE_OR_THIS_CHAIN)
                        .expressionAttributeValues(batch(chain))
                        .build())
                .build();
    }

    private static Map<String, AttributeValue> batch(UnfinishedChain chain) {
        return Map.of(":batch", AttributeValue.fromS(chain.id()));
    }
}
