package io.varve.simulation;

import java.io.IOException;
import java.util.stream.IntStream;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionInProgressException;

/** What a client is told when DynamoDB does not do what it was asked to, or is not heard of. */
final class Refusals {
    private Refusals() {}

    static RuntimeException serverError() {
        return InternalServerErrorException.builder()
                .writableStackTrace(false)
                .message("Internal server error")
                .statusCode(500)
                .build();
    }

    static RuntimeException throttled() {
        return ProvisionedThroughputExceededException.builder()
                .writableStackTrace(false)
                .message("Throughput exceeds the current capacity of your table or index")
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode("ProvisionedThroughputExceededException")
                        .build())
                .build();
    }

    static RuntimeException inProgress() {
        return TransactionInProgressException.builder()
                .writableStackTrace(false)
                .message("The transaction with the given request token is already in progress")
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode("TransactionInProgressException")
                        .build())
                .build();
    }

    /** One of the actions of a transaction has met another one. */
    static RuntimeException conflict(int one, int actions) {
        return TransactionCanceledException.builder()
                .writableStackTrace(false)
                .message("Transaction cancelled")
                .statusCode(400)
                .cancellationReasons(IntStream.range(0, actions)
                        .mapToObj(i -> CancellationReason.builder()
                                .code(i == one ? "TransactionConflict" : "None")
                                .build())
                        .toList())
                .build();
    }

    /** The other side does not answer. */
    static Exception lostConnection() {
        return new LostConnection();
    }

    private static final class LostConnection extends IOException {
        private static final long serialVersionUID = 1L;

        LostConnection() {
            super("connection reset");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this; // many are lost, and nobody wants to know where
        }
    }
}
