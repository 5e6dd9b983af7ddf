package io.varve.store.internal.slice;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One pass of all queries that read a shard together. What one of them has read since another one's turn came is what that one
 * would have read itself, had it been as quick: it gets the same page, with the time of its request, and sends none.
 *
 * <p>Nothing is pushed, and nobody runs it. A query that is not where the others are, because it catches up or its consumer is
 * slow, sends its own requests until it is. Of what was read only the last page is kept, and only if it reached the end.
 */
final class SharedPass {
    private @Nullable Answer last;
    private @Nullable Read underWay;

    /** A request from a cursor up to a timestamp, sent at some moment by the clock of the query that asked. */
    private record Read(IndexCursor from, long until, long at, CompletableFuture<IndexPage> page) {}

    /** What a query gets: a page, up to which timestamp, and when it was read. */
    record Answer(IndexPage page, long until, long at) {
        /** What it is for a query that asks from another cursor, up to another timestamp. */
        Optional<Answer> as(IndexCursor from, long asked, long now) {
            return page.as(from, asked).map(part -> new Answer(part, Math.min(until, asked), Math.min(at, now)));
        }
    }

    /** How to send a request. */
    @FunctionalInterface
    interface Requests {
        CompletionStage<IndexPage> send(IndexCursor from, long until);
    }

    /** What a query is to get whose turn came at {@code due}. */
    CompletionStage<Answer> read(IndexCursor from, long until, long due, long now, Requests requests) {
        Read read;
        boolean mine;
        synchronized (this) {
            if (last != null && last.at() > now) {
                last = null; // the clock was set back: nobody knows how old it is
            }
            Optional<Answer> known = Optional.ofNullable(last)
                    .filter(answer -> answer.at() >= due)
                    .flatMap(answer -> answer.as(from, until, now));
            if (known.isPresent()) {
                return CompletableFuture.completedFuture(known.get());
            }
            IndexCursor start = last == null ? from : placeOfAll(from, last.page());
            Read running = underWay;
            if (running != null && running.at() >= due && running.from().equals(start)) {
                read = running;
                mine = false;
            } else {
                read = new Read(start, until, now, new CompletableFuture<>());
                mine = true;
                underWay = running == null ? read : running;
            }
        }
        if (mine) {
            requests.send(read.from(), until).whenComplete((page, thrown) -> ended(read, page, thrown));
        }
        return read.page()
                .thenCompose(page -> new Answer(page, read.until(), read.at())
                        .as(from, until, now)
                        .map(CompletableFuture::completedStage)
                        .orElseGet(() -> requests.send(from, until).thenApply(own -> new Answer(own, until, now))));
    }

    /** Queries that have read all that is there need not stand at the same place: this one does for all of them. */
    private static IndexCursor placeOfAll(IndexCursor from, IndexPage page) {
        boolean nothingAfter = page.as(from, Long.MAX_VALUE)
                .filter(rest -> rest.entries().isEmpty())
                .isPresent();
        return nothingAfter ? page.end() : from;
    }

    private void ended(Read read, @Nullable IndexPage page, @Nullable Throwable thrown) {
        synchronized (this) {
            underWay = read.equals(underWay) ? null : underWay;
            if (page != null && !page.more() && (last == null || last.at() <= read.at())) {
                last = new Answer(page, read.until(), read.at());
            }
        }
        if (page != null) {
            read.page().complete(page);
        } else {
            read.page().completeExceptionally(requireNonNull(thrown));
        }
    }

    /** Keeps nothing. */
    synchronized void forget() {
        last = null;
    }
}
