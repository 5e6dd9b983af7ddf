package io.varve.chaos.node;

import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;

/** What an account is told. */
sealed interface AccountCommand {
    /**
     * Moves money: one event for each amount, all or none. An operation that is in the history is not stored again.
     *
     * @param operation its name, which the client chooses once
     */
    record Move(String operation, List<Long> amounts, ActorRef<String> replyTo) implements AccountCommand {
        public Move {
            amounts = List.copyOf(amounts);
        }
    }

    /**
     * Ends the account's actor, when it is idle and when its shard moves. Without a message for that Pekko sends a signal, which an
     * actor forgets that restarts because a write has failed: its shard then waits a minute for it, and whoever asks the account as well.
     */
    enum Stop implements AccountCommand {
        INSTANCE
    }
}
