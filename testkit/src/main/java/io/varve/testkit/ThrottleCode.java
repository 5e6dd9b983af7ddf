package io.varve.testkit;

/** The errors by which DynamoDB reports throttling. */
public enum ThrottleCode {
    /** A partition, table or index is over its throughput. */
    PROVISIONED_THROUGHPUT_EXCEEDED(
            "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
            "ThrottlingReasons",
            "The level of configured provisioned throughput for the table was exceeded. Consider increasing your"
                    + " provisioning level with the UpdateTable API."),
    /** An on-demand table grows too fast, or a control operation is called too often. */
    THROTTLING(
            "com.amazon.coral.availability#ThrottlingException",
            "throttlingReasons",
            "Throughput exceeds the current capacity of your table or index."),
    /** The account is over its quota. */
    REQUEST_LIMIT_EXCEEDED(
            "com.amazonaws.dynamodb.v20120810#RequestLimitExceeded",
            "ThrottlingReasons",
            "Throughput exceeds the current throughput limit for your account. Please contact AWS Support to request"
                    + " a limit increase.");

    private final String type;
    private final String reasonsField;
    private final String message;

    ThrottleCode(String type, String reasonsField, String message) {
        this.type = type;
        this.reasonsField = reasonsField;
        this.message = message;
    }

    String type() {
        return type;
    }

    String reasonsField() {
        return reasonsField;
    }

    String message() {
        return message;
    }
}
