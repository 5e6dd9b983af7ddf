package io.varve.chaos.node;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.SnapshotAdapter;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;

/**
 * An account. Snapshots have a retention; an account whose id begins with {@link #KEEPS_EVENTS} keeps all its events, so that it can be
 * written by both sides of a split cluster, where a second writer must not delete.
 */
final class AccountEntity extends EventSourcedBehavior<AccountCommand, String, AccountState> {
    static final EntityTypeKey<AccountCommand> TYPE = EntityTypeKey.create(AccountCommand.class, "account");
    static final String KEEPS_EVENTS = "keep";
    /** What the events have that take money out. */
    static final String TAG = "out";

    private final Config retention;
    private final boolean keepsEvents;

    private AccountEntity(String id, Config retention) {
        super(
                PersistenceId.of(TYPE.name(), id),
                SupervisorStrategy.restartWithBackoff(Duration.ofMillis(200), Duration.ofSeconds(2), 0.2));
        this.retention = retention;
        this.keepsEvents = id.startsWith(KEEPS_EVENTS);
    }

    static Behavior<AccountCommand> create(String id) {
        return Behaviors.setup((ActorContext<AccountCommand> context) ->
                new AccountEntity(id, context.getSystem().settings().config().getConfig("chaos.retention")));
    }

    @Override
    public AccountState emptyState() {
        return AccountState.EMPTY;
    }

    @Override
    public CommandHandler<AccountCommand, String, AccountState> commandHandler() {
        return (account, command) -> command instanceof AccountCommand.Move move
                ? move(account, move)
                : Effect().stop();
    }

    private Effect<String, AccountState> move(AccountState account, AccountCommand.Move move) {
        long stored = account.numberOf(move.operation());
        if (stored > 0) {
            move.replyTo().tell("ok " + stored);
            return Effect().none();
        }
        long sum = move.amounts().stream().mapToLong(Long::longValue).sum();
        if (account.balance() + sum < 0) {
            move.replyTo().tell("refused there are only " + account.balance());
            return Effect().none();
        }
        return Effect()
                .persist(events(account, move))
                .thenRun(after -> move.replyTo().tell("ok " + (account.events() + 1)));
    }

    private static List<String> events(AccountState account, AccountCommand.Move move) {
        List<String> events = new ArrayList<>();
        AccountState before = account;
        int parts = move.amounts().size();
        for (int part = 0; part < parts; part++) {
            String line = AccountState.line(
                    move.operation(), part, parts, move.amounts().get(part));
            events.add(before.event(line));
            before = before.afterLine(line);
        }
        return events;
    }

    @Override
    public EventHandler<AccountState, String> eventHandler() {
        return AccountState::afterEvent;
    }

    @Override
    public Set<String> tagsFor(String event) {
        return AccountState.amount(event.substring(0, event.indexOf(' '))) < 0 ? Set.of(TAG) : Set.of();
    }

    @Override
    public RetentionCriteria retentionCriteria() {
        var snapshots =
                RetentionCriteria.snapshotEvery(retention.getInt("snapshot-every"), retention.getInt("keep-snapshots"));
        return keepsEvents ? snapshots : snapshots.withDeleteEventsOnSnapshot();
    }

    /** A snapshot is the history as text. */
    @Override
    public SnapshotAdapter<AccountState> snapshotAdapter() {
        return new SnapshotAdapter<>() {
            @Override
            public Object toJournal(AccountState state) {
                return state.history();
            }

            @Override
            public AccountState fromJournal(Object from) {
                return AccountState.of((String) from);
            }
        };
    }
}
