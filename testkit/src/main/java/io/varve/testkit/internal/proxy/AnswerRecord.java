package io.varve.testkit.internal.proxy;

import io.varve.testkit.internal.capacity.Metered;

/** Where the answer to a request is noted. */
public interface AnswerRecord {

    /** Notes the answer and what it took. */
    void complete(Metered answer);
}
