package io.varve.testkit;

import io.varve.testkit.internal.http.HttpAnswer;
import io.varve.testkit.internal.json.LenientJson;
import io.varve.testkit.internal.proxy.CapacityReport;
import io.varve.testkit.internal.proxy.Exchange;
import io.varve.testkit.internal.proxy.LateIndex;
import io.varve.testkit.internal.proxy.UnprocessedBatch;
import io.varve.testkit.internal.request.ParsedRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;

/** What happens to a request instead of, or besides, being forwarded. */
public final class Fault {

    private final boolean needsBody;
    private final Handler handler;

    /** Does its part and then goes on with what follows, or does not. */
    interface Handler {
        void handle(Exchange exchange, Runnable next);
    }

    Fault(boolean needsBody, Handler handler) {
        this.needsBody = needsBody;
        this.handler = handler;
    }

    /** Refuses the request as DynamoDB does when it throttles, with the reasons and resources if given. */
    public static Fault throttle(ThrottleCode code, ThrottlingReason... reasons) {
        return answer(400, request -> ErrorBodies.throttle(code, List.of(reasons)), false);
    }

    /** Answers 500, InternalServerError. */
    public static Fault internalServerError() {
        return error(500, "InternalServerError", "The request processing has failed because of an unknown error.");
    }

    /** Answers 503, ServiceUnavailable. */
    public static Fault serviceUnavailable() {
        return error(
                503,
                "com.amazon.coral.availability#ServiceUnavailableException",
                "Service is temporarily unavailable.");
    }

    /** A transaction is under way on the item of a single write. */
    public static Fault transactionConflict() {
        return error(400, "TransactionConflictException", "Transaction is ongoing for the item");
    }

    /** The transaction with the same client token is still under way. */
    public static Fault transactionInProgress() {
        return error(
                400, "TransactionInProgressException", "The transaction with the given request token is in progress");
    }

    /** Answers with an error; a code without a namespace gets DynamoDB's. */
    public static Fault error(int status, String code, String message) {
        return answer(status, request -> ErrorBodies.error(code, message), false);
    }

    /** Cancels the transaction with reasons by code, as {@link #cancelTransaction(CancellationReason...)} does. */
    public static Fault cancelTransaction(String... codes) {
        return cancelTransaction(Stream.of(codes).map(ErrorBodies::reason).toArray(CancellationReason[]::new));
    }

    /**
     * Cancels the transaction with reasons in the order of its items; the missing ones are {@code None}, and those beyond the last item
     * are left out. Other operations than TransactWriteItems and TransactGetItems go on.
     */
    public static Fault cancelTransaction(CancellationReason... reasons) {
        Fault cancelled = answer(400, request -> ErrorBodies.cancelled(List.of(reasons), request.items()), true);
        return new Fault(true, (exchange, next) -> {
            if (exchange.request().operation().startsWith("Transact")) {
                cancelled.handler.handle(exchange, next);
            } else {
                next.run();
            }
        });
    }

    /** Answers 200 with this JSON, for operations that the backend does not know. */
    public static Fault respond(String json) {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        return new Fault(false, (exchange, next) -> exchange.answer(HttpAnswer.json(200, body)));
    }

    /** Never answers; the connection stays open until the proxy is cleared or closed. */
    public static Fault hang() {
        return new Fault(false, (exchange, next) -> exchange.hang());
    }

    /** Goes on after a while. */
    public static Fault delay(Duration duration) {
        return new Fault(false, (exchange, next) -> exchange.later(duration, next));
    }

    /** Resets the connection; the request is never forwarded. */
    public static Fault resetBefore() {
        return new Fault(false, (exchange, next) -> exchange.reset());
    }

    /** Forwards the request, throws the response away and resets the connection: the lost response. */
    public static Fault resetAfter() {
        return new Fault(false, (exchange, next) -> exchange.forwardAndReset());
    }

    /** Leaves all items of a batch unprocessed; nothing is forwarded. */
    public static Fault unprocessed() {
        return unprocessedIf(attributes -> true);
    }

    /** Leaves the last so many items of a batch unprocessed; the others go on. */
    public static Fault unprocessed(int items) {
        return new Fault(true, (exchange, next) -> UnprocessedBatch.lastOf(items, exchange, next));
    }

    /** Leaves the accepted items of a batch unprocessed, by the item to put or the key to delete or get. */
    public static Fault unprocessedIf(Predicate<Map<String, AttributeValue>> accepts) {
        return new Fault(true, (exchange, next) -> UnprocessedBatch.where(accepts, exchange, next));
    }

    /**
     * Hides the accepted entries from queries and scans of an index, as if they had not arrived there yet; it sees the attributes in
     * the response, and a query for a mere count cannot be changed.
     */
    public static Fault hideFromIndex(Predicate<Map<String, AttributeValue>> accepts) {
        return new Fault(true, (exchange, next) -> {
            if (exchange.request().index().isPresent()) {
                exchange.changeAnswer(answer -> LateIndex.hide(accepts, answer));
            }
            next.run();
        });
    }

    /** Moves the response's {@code Date} header. */
    public static Fault skewDate(Duration amount) {
        return new Fault(false, (exchange, next) -> {
            exchange.changeAnswer(answer -> answer.withDateMoved(amount));
            next.run();
        });
    }

    /** Runs the callback, which may block, before going on. */
    public static Fault runBefore(Consumer<DynamoDBRequest> callback) {
        return new Fault(
                true,
                (exchange, next) -> exchange.run(() -> callback.accept(new DynamoDBRequest(exchange.request())), next));
    }

    /** Runs the callback, which may block, after the backend answered and before the client hears of it. */
    public static Fault runAfter(Consumer<DynamoDBRequest> callback) {
        return new Fault(true, (exchange, next) -> {
            exchange.runAfterAnswer(() -> callback.accept(new DynamoDBRequest(exchange.request())));
            next.run();
        });
    }

    /**
     * Asks the backend what it counts for the request, and tells it after a success. The client sees a report of consumed capacity even
     * if it did not ask for one. DynamoDB Local does not count as AWS does; {@link RequestLog#capacity} does.
     */
    public static Fault reportCapacity(BiConsumer<DynamoDBRequest, Capacity> told) {
        return new Fault(true, (exchange, next) -> {
            CapacityReport.ask(
                    exchange, units -> told.accept(new DynamoDBRequest(exchange.request()), Capacity.of(units)));
            next.run();
        });
    }

    /** This fault and then another, if this one lets the request go on: {@code delay(d).then(resetAfter())}. */
    public Fault then(Fault other) {
        return new Fault(
                needsBody || other.needsBody,
                (exchange, next) ->
                        handler.handle(exchange, exchange.guarded(() -> other.handler.handle(exchange, next))));
    }

    /** Waits at a gate. */
    static Fault hold(Gate gate) {
        return new Fault(false, (exchange, next) -> gate.arrive(exchange.onLoop(next)));
    }

    boolean needsBody() {
        return needsBody;
    }

    void apply(Exchange exchange) {
        handler.handle(exchange, exchange.guarded(exchange::forward));
    }

    private static Fault answer(int status, Function<ParsedRequest, Map<String, Object>> body, boolean needsBody) {
        return new Fault(
                needsBody,
                (exchange, next) ->
                        exchange.answer(HttpAnswer.json(status, LenientJson.write(body.apply(exchange.request())))));
    }
}
