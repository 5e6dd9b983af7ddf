package io.varve.projection.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.pekko.Abort;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.progress.TransactionRefusedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** What is put into which transaction, and when. */
class GroupCommitOrderTest {
    private final StreamProgress progress = new StreamProgress(Duration.ofMinutes(5), 1_000, Optional.empty());
    private final List<String> sent = new ArrayList<>();
    private final Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();
    private final Map<String, CompletionStage<Done>> results = new HashMap<>();
    private GroupCommit<String> commits = commits(10, 1);

    private GroupCommit<String> commits(int most, int atOnce) {
        return new GroupCommit<>(ProjectionId.of("p", "0"), most, atOnce, this::send);
    }

    private CompletionStage<List<InFlight<String>>> send(
            List<InFlight<String>> events, Collection<TransactWriteItem> changes) {
        sent.add(events.stream().map(event -> event.position().persistenceId()).collect(Collectors.joining(" ")));
        CompletableFuture<Void> answer = new CompletableFuture<>();
        underWay.add(answer);
        return answer.thenApply(done -> {
            progress.complete(events);
            return events;
        });
    }

    /** An event of an entity that changes items. */
    private void store(String persistenceId, String... items) {
        List<TransactWriteItem> changes = new ArrayList<>();
        for (String item : items) {
            changes.add(TransactWriteItem.builder()
                    .update(update -> update.tableName("t").key(Map.of("id", AttributeValue.fromS(item))))
                    .build());
        }
        store(persistenceId, changes);
    }

    private void store(String persistenceId, Collection<TransactWriteItem> changes) {
        InFlight<String> event =
                new InFlight<>(new AdaptedEvent<>(new Position(persistenceId, 1, 1, 0), List.of("event")));
        progress.begin(event);
        results.put(persistenceId, commits.store(event, changes));
    }

    private static TransactWriteItem put(String item) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName("t")
                        .item(Map.of("id", AttributeValue.fromS(item), "other", AttributeValue.fromS("x"))))
                .build();
    }

    private void answer() {
        underWay.remove().complete(null);
    }

    private void refuse() {
        underWay.remove().completeExceptionally(new TransactionRefusedException("no", null));
    }

    private boolean isStored(String persistenceId) {
        CompletableFuture<Done> result =
                results.getOrDefault(persistenceId, new CompletableFuture<>()).toCompletableFuture();
        return result.isDone() && !result.isCompletedExceptionally();
    }

    @Test
    void eventIsSentAtOnce_andOthersWhenItIsStored() {
        store("a", "1");
        store("b", "2");
        store("c", "3");
        assertThat(sent).containsExactly("a");
        answer();
        assertThat(sent).containsExactly("a", "b c");
        assertThat(isStored("a")).isTrue();
        assertThat(isStored("b")).isFalse();
        answer();
        assertThat(isStored("c")).isTrue();
    }

    @Test
    void noMoreThanTheMost_areSentTogether() {
        commits = commits(2, 1);
        for (String id : List.of("a", "b", "c", "d", "e")) {
            store(id, id);
        }
        IntStream.range(0, 3).forEach(i -> answer());
        assertThat(sent).containsExactly("a", "b c", "d e");
    }

    @Test
    void itemUnderWay_isWaitedFor_alsoWhereAnotherTransactionCouldBegin() {
        commits = commits(10, 2);
        store("a", "1");
        store("b", "1");
        assertThat(sent).containsExactly("a");
        store("c", "2");
        assertThat(sent).containsExactly("a", "c");
        answer();
        assertThat(sent).containsExactly("a", "c", "b");
    }

    @Test
    void eventsOfAnItem_stayInTheirOrder() {
        commits = commits(10, 2);
        store("a", "1");
        store("b", "1", "2");
        store("c", "2");
        assertThat(sent).as("c must not pass b").containsExactly("a");
        answer();
        assertThat(sent).containsExactly("a", "b");
        answer();
        assertThat(sent).containsExactly("a", "b", "c");
    }

    @Test
    void keyOfAPut_isKnownWhenAnActionWithAKeyWasSeen() {
        store("a", "1");
        store("b", List.of(put("2")));
        store("c", List.of(put("2")));
        store("d", List.of(put("3")));
        answer();
        answer();
        assertThat(sent).containsExactly("a", "b d", "c");
    }

    @Test
    void afterARefusal_groupsAreSmaller_andGrowAgain() {
        commits = commits(8, 1);
        store("first", "first");
        for (int i = 0; i < 8; i++) {
            store("x" + i, "x" + i);
        }
        answer();
        refuse();
        answer();
        answer();
        assertThat(sent).containsExactly("first", "x0 x1 x2 x3 x4 x5 x6 x7", "x0 x1 x2 x3", "x4 x5 x6 x7");
        sent.clear();
        store("again", "again");
        for (int i = 0; i < 60; i++) {
            store("y" + i, "y" + i);
        }
        while (!underWay.isEmpty()) {
            answer();
        }
        List<Integer> sizes =
                sent.stream().map(group -> group.split(" ", -1).length).toList();
        assertThat(sizes).startsWith(1, 4, 4).contains(8);
        assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(61);
    }

    @Test
    void endOfTheStream_isTheEndOfAllThatWait() {
        store("a", "1");
        store("b", "2");
        underWay.remove().completeExceptionally(Abort.exception());
        store("c", "3");
        assertThat(sent).containsExactly("a");
        assertThat(results).containsOnlyKeys("a", "b", "c");
        assertThat(results.values())
                .allMatch(result -> result.toCompletableFuture().isCompletedExceptionally());
    }

    @Test
    void manyThatAreAnsweredAtOnce_needNoStack() {
        GroupCommit<String> quick = new GroupCommit<>(ProjectionId.of("p", "0"), 2, 1, (events, changes) -> {
            progress.complete(events);
            return underWay.isEmpty()
                    ? CompletableFuture.completedFuture(events)
                    : underWay.remove().thenApply(done -> events);
        });
        commits = quick;
        CompletableFuture<Void> first = new CompletableFuture<>();
        underWay.add(first);
        for (int i = 0; i < 20_000; i++) {
            store("z" + i, "z" + i);
        }
        first.complete(null);
        assertThat(results.keySet()).hasSize(20_000).allMatch(this::isStored);
    }
}
