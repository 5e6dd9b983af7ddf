package io.varve.store.internal.client;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What came of a conditional write. */
public sealed interface WriteResult {

    /**
     * It is stored.
     *
     * @param afterUncertainAttempt whether an earlier attempt stayed without an answer, so that it may still arrive
     */
    record Applied(boolean afterUncertainAttempt) implements WriteResult {}

    /**
     * A condition did not hold; nothing was changed by the attempt that found it.
     *
     * @param existing the items in the way by the index of their action (0 for a single write); empty maps where DynamoDB
     *     returned none
     * @param afterUncertainAttempt whether an earlier attempt stayed without an answer, so that what is in the way may be this
     *     very write
     */
    record ConditionFailed(Map<Integer, Map<String, AttributeValue>> existing, boolean afterUncertainAttempt)
            implements WriteResult {}

    /** Whether an earlier attempt stayed without an answer. */
    boolean afterUncertainAttempt();
}
