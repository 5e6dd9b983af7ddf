package io.varve.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The requests that came to a proxy, in the order of arrival, with the capacity that AWS would charge. */
public final class RequestLog {

    private final List<LogEntry> entries;
    private long next;

    RequestLog() {
        this(List.of(), 0);
    }

    private RequestLog(List<LogEntry> entries, long next) {
        this.entries = new ArrayList<>(entries);
        this.next = next;
    }

    /** The requests so far; those without an answer yet have no status. */
    public synchronized List<RecordedRequest> requests() {
        return entries.stream().map(LogEntry::recorded).toList();
    }

    /** The requests in short: {@code PutItem}, {@code TransactWriteItems(2)}, {@code Query[slice-idx]}. */
    public List<String> operations() {
        return requests().stream().map(request -> request.request().toString()).toList();
    }

    /** The number of requests. */
    public synchronized int size() {
        return entries.size();
    }

    /** What all requests consumed. */
    public Capacity capacity() {
        return requests().stream().map(RecordedRequest::capacity).reduce(Capacity.NONE, Capacity::plus);
    }

    /** A mark of this moment for {@link #since}. */
    public synchronized long mark() {
        return next;
    }

    /** The requests that came between a mark and now. */
    public RequestLog since(long mark) {
        return where(request -> request.number() >= mark);
    }

    /** The requests until now that name a table. */
    public RequestLog table(String name) {
        return where(request -> request.tables().contains(name));
    }

    /** The requests until now that are accepted. */
    public synchronized RequestLog where(Predicate<RecordedRequest> accepts) {
        return new RequestLog(
                entries.stream().filter(entry -> accepts.test(entry.recorded())).toList(), next);
    }

    /** Forgets all requests. */
    public synchronized void clear() {
        entries.clear();
    }

    /** One line for each request: what it was, its status and its capacity. */
    @Override
    public String toString() {
        StringBuilder lines = new StringBuilder();
        for (RecordedRequest request : requests()) {
            lines.append("%d %s %s %s %d %s %s%n"
                    .formatted(
                            request.number(),
                            request.request(),
                            request.tables(),
                            request.partitionKeys(),
                            request.status(),
                            request.errorCode(),
                            request.capacity()));
        }
        return lines.toString();
    }

    synchronized LogEntry add(DynamoDBRequest request) {
        LogEntry entry = new LogEntry(next++, request);
        entries.add(entry);
        return entry;
    }
}
