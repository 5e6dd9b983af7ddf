package io.varve.testkit;

import io.varve.testkit.internal.json.AttributeValues;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;

/** The JSON of DynamoDB's errors. */
final class ErrorBodies {

    static final String NAMESPACE = "com.amazonaws.dynamodb.v20120810#";

    private ErrorBodies() {}

    static Map<String, Object> error(String type, String message) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("__type", type.contains("#") ? type : NAMESPACE + type);
        body.put("message", message);
        return body;
    }

    static Map<String, Object> throttle(ThrottleCode code, List<ThrottlingReason> reasons) {
        Map<String, Object> body = error(code.type(), code.message());
        if (!reasons.isEmpty()) {
            body.put(
                    code.reasonsField(), reasons.stream().map(ErrorBodies::json).toList());
        }
        return body;
    }

    /** A cancelled transaction with one reason for each item; items without a given reason have none. */
    static Map<String, Object> cancelled(List<CancellationReason> given, int items) {
        List<CancellationReason> reasons = new ArrayList<>(given.subList(0, Math.min(items, given.size())));
        while (reasons.size() < items) {
            reasons.add(reason("None"));
        }
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("__type", NAMESPACE + "TransactionCanceledException");
        body.put("CancellationReasons", reasons.stream().map(ErrorBodies::json).toList());
        body.put(
                "Message",
                reasons.stream()
                        .map(CancellationReason::code)
                        .collect(Collectors.joining(
                                ", ",
                                "Transaction cancelled, please refer cancellation reasons for specific reasons [",
                                "]")));
        return body;
    }

    /** A reason with the message that DynamoDB gives for its code. */
    static CancellationReason reason(String code) {
        String message = switch (code) {
            case "ConditionalCheckFailed" -> "The conditional request failed";
            case "TransactionConflict" -> "Transaction is ongoing for the item";
            case "ItemCollectionSizeLimitExceeded" -> "Collection size exceeded.";
            case "ProvisionedThroughputExceeded" -> ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED.message();
            case "ThrottlingError" -> ThrottleCode.THROTTLING.message();
            default -> "";
        };
        CancellationReason.Builder reason = CancellationReason.builder().code(code);
        return message.isEmpty() ? reason.build() : reason.message(message).build();
    }

    private static Map<String, Object> json(ThrottlingReason reason) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (reason.reason() != null) {
            json.put("reason", reason.reason());
        }
        if (reason.resource() != null) {
            json.put("resource", reason.resource());
        }
        return json;
    }

    private static Map<String, Object> json(CancellationReason reason) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("Code", reason.code());
        if (reason.message() != null) {
            json.put("Message", reason.message());
        }
        if (reason.hasItem()) {
            json.put("Item", AttributeValues.toJson(reason.item()));
        }
        return json;
    }
}
