package io.varve.simulation.model;

import java.util.List;
import java.util.Map;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.IdempotentParameterMismatchException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** What DynamoDB answers to requests that it does not carry out. Nobody wants to know where in the model these were made. */
final class Errors {
    private Errors() {}

    static RuntimeException validation(String message) {
        return DynamoDbException.builder()
                .writableStackTrace(false)
                .message(message)
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode("ValidationException")
                        .errorMessage(message)
                        .build())
                .build();
    }

    static RuntimeException noTable(String name) {
        return ResourceNotFoundException.builder()
                .writableStackTrace(false)
                .message("Requested resource not found: Table: " + name + " not found")
                .statusCode(400)
                .build();
    }

    /** A condition does not hold; with the item, if that was asked for and there is one. */
    static RuntimeException condition(boolean returnsOld, Map<String, AttributeValue> before) {
        ConditionalCheckFailedException.Builder failed = ConditionalCheckFailedException.builder()
                .writableStackTrace(false)
                .message("The conditional request failed")
                .statusCode(400);
        return (returnsOld && !before.isEmpty() ? failed.item(before) : failed).build();
    }

    static RuntimeException cancelled(List<CancellationReason> reasons) {
        return TransactionCanceledException.builder()
                .writableStackTrace(false)
                .message("Transaction cancelled, please refer cancellation reasons for specific reasons")
                .cancellationReasons(reasons)
                .statusCode(400)
                .build();
    }

    static RuntimeException otherRequestOfToken() {
        return IdempotentParameterMismatchException.builder()
                .writableStackTrace(false)
                .message("The token was used for another request")
                .statusCode(400)
                .build();
    }
}
