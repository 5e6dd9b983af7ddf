package io.varve.testkit;

/** A request in the log, completed when its answer is known. */
final class LogEntry {

    private volatile RecordedRequest recorded;

    LogEntry(long number, DynamoDBRequest request) {
        this.recorded =
                new RecordedRequest(number, request, request.items(), RecordedRequest.NO_RESPONSE, "", Capacity.NONE);
    }

    RecordedRequest recorded() {
        return recorded;
    }

    void complete(HttpAnswer answer, int items, Capacity capacity) {
        RecordedRequest before = recorded;
        recorded = new RecordedRequest(
                before.number(), before.request(), items, answer.status(), answer.errorCode(), capacity);
    }
}
