package io.varve.chaos.node;

import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * Moves money: one event for each amount, all or none. An operation that is in the history is not stored again.
 *
 * @param operation its name, which the client chooses once
 */
record AccountCommand(String operation, List<Long> amounts, ActorRef<String> replyTo) {
    AccountCommand {
        amounts = List.copyOf(amounts);
    }
}
