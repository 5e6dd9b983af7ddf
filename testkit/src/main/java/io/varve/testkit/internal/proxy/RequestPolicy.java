package io.varve.testkit.internal.proxy;

import io.varve.testkit.internal.request.ParsedRequest;
import java.util.Optional;

/** What the owner of the proxy decides about its requests. */
public interface RequestPolicy {

    /** Whether the bodies of requests are to be read. */
    boolean readsBodies();

    /** Notes that a request came; empty while nothing is recorded. */
    Optional<AnswerRecord> record(ParsedRequest request);

    /** Forwards the request, answers it or makes it fail. */
    void handle(Exchange exchange);
}
