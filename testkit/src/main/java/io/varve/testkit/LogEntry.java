package io.varve.testkit;

import io.varve.testkit.internal.capacity.Metered;
import io.varve.testkit.internal.proxy.AnswerRecord;

/** A request in the log, completed when its answer is known. */
final class LogEntry implements AnswerRecord {

    private volatile RecordedRequest recorded;

    LogEntry(long number, DynamoDBRequest request) {
        this.recorded =
                new RecordedRequest(number, request, request.items(), RecordedRequest.NO_RESPONSE, "", Capacity.NONE);
    }

    RecordedRequest recorded() {
        return recorded;
    }

    @Override
    public void complete(Metered metered) {
        RecordedRequest before = recorded;
        recorded = new RecordedRequest(
                before.number(),
                before.request(),
                metered.items(),
                metered.answer().status(),
                metered.answer().errorCode(),
                Capacity.of(metered.capacity()));
    }
}
