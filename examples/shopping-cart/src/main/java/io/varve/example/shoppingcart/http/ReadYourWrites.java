package io.varve.example.shoppingcart.http;

import io.varve.example.shoppingcart.ShoppingCart;
import io.varve.projection.ProjectionProgress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.typed.PersistenceId;

/** Lets a read wait until a projection has processed what its caller has written. */
final class ReadYourWrites {
    private static final Pattern SECONDS = Pattern.compile("([0-9]{1,2})s");
    private static final int LONGEST_WAIT = 30;

    private final ProjectionProgress progress;

    ReadYourWrites(ProjectionProgress progress) {
        this.progress = progress;
    }

    /**
     * Completes when a projection has processed so many events of a cart; at once if nothing is asked for.
     *
     * @param wait how long that may take, such as {@code 2s}
     */
    CompletionStage<Done> after(
            String projection, Optional<String> cart, Optional<Long> events, Optional<String> wait) {
        if (cart.isEmpty() && events.isEmpty() && wait.isEmpty()) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        if (cart.isEmpty() || events.isEmpty() || wait.isEmpty() || events.get() < 1) {
            throw new ErrorAnswers.BadRequestException(
                    "To read what you have written, give all of 'cart', 'events' (what the answer to the change says, at"
                            + " least 1) and 'wait', such as ?cart=mine&events=4&wait=2s.");
        }
        return progress.whenProcessed(
                projection,
                PersistenceId.of(ShoppingCart.TYPE.name(), CartRoutes.checkedId(cart.get()))
                        .id(),
                events.get(),
                checked(wait.get()));
    }

    private static Duration checked(String wait) {
        Matcher matcher = SECONDS.matcher(wait);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) > LONGEST_WAIT) {
            throw new ErrorAnswers.BadRequestException(
                    "'wait' must be from 0s to " + LONGEST_WAIT + "s, not '" + wait + "'.");
        }
        return Duration.ofSeconds(Integer.parseInt(matcher.group(1)));
    }
}
