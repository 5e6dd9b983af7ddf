package io.varve.projection;

import io.varve.store.VarveException;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;

/** A batch write of which items stayed unprocessed after all retries. */
public final class BatchWriteFailed extends VarveException {
    private static final long serialVersionUID = 1L;
    private final transient BatchWriteItemResponse lastResponse;

    BatchWriteFailed(String message, BatchWriteItemResponse lastResponse) {
        super(message);
        this.lastResponse = lastResponse;
    }

    /** The last response, which holds the items that were not written. */
    public BatchWriteItemResponse lastResponse() {
        return lastResponse;
    }
}
