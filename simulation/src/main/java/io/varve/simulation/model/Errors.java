package io.varve.simulation.model;

import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/** What DynamoDB answers to requests that it does not accept. */
final class Errors {
    private Errors() {}

    static RuntimeException validation(String message) {
        return DynamoDbException.builder()
                .message(message)
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode("ValidationException")
                        .errorMessage(message)
                        .build())
                .build();
    }
}
