package io.varve.store.internal.client;

import io.varve.http.NotSentException;
import io.varve.store.FailureKind;
import io.varve.store.ThrottledException.Reason;
import io.varve.store.internal.async.Causes;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.ReplicatedWriteConflictException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;
import software.amazon.awssdk.services.dynamodb.model.TransactionInProgressException;

/** A failed attempt, classified: the only place that knows the SDK's exceptions. */
record Failure(FailureKind kind, Throwable cause, List<Reason> throttling) {

    private static final Set<String> THROTTLED_REASONS =
            Set.of("ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded");
    private static final Set<String> INVALID_REASONS = Set.of("ValidationError", "ItemCollectionSizeLimitExceeded");
    private static final Set<String> INVALID_CODES = Set.of(
            "ValidationException",
            "SerializationException",
            "ItemCollectionSizeLimitExceededException",
            "IdempotentParameterMismatchException");
    private static final Set<String> CREDENTIALS_CODES =
            Set.of("ExpiredTokenException", "InvalidSignatureException", "UnrecognizedClientException");
    private static final Pattern SESSION_TOKEN = Pattern.compile("(?i)(x-amz-security-token:)\\s*[^\\s']+");
    private static final int BODY_TOO_LARGE = 413;
    private static final int MOST_CAUSES = 20; // of one failure: they could form a ring
    private static final String CONDITION_REASON = "ConditionalCheckFailed";
    private static final String CONFLICT_REASON = "TransactionConflict";

    static Failure of(Throwable thrown) {
        Throwable cause = withoutSessionToken(Causes.unwrap(thrown));
        return new Failure(kindOf(cause), cause, throttlingOf(cause));
    }

    /** AWS may repeat a request whose signature is wrong, with its headers, one of which is the session token. */
    private static Throwable withoutSessionToken(Throwable cause) {
        if (!(cause instanceof AwsServiceException service)
                || service.awsErrorDetails() == null
                || service.awsErrorDetails().errorMessage() == null) {
            return cause;
        }
        AwsErrorDetails details = service.awsErrorDetails();
        String masked = SESSION_TOKEN.matcher(details.errorMessage()).replaceAll("$1***");
        if (masked.equals(details.errorMessage())) {
            return cause;
        }
        AwsServiceException clean = service.toBuilder()
                .message(masked)
                .awsErrorDetails(details.toBuilder()
                        .errorMessage(masked)
                        .rawResponse(SdkBytes.fromUtf8String(""))
                        .build())
                .build();
        clean.setStackTrace(service.getStackTrace());
        return clean;
    }

    /** Half of a batch came back: the same as being throttled. */
    static Failure unprocessed(int items) {
        return new Failure(
                FailureKind.THROTTLED,
                new TimeoutException(items + " items stayed unprocessed"),
                List.of(new Reason("UnprocessedItems", items + " items")));
    }

    /** The operation's time was spent before the request could be sent. */
    static Failure notSent() {
        return new Failure(
                FailureKind.NOT_SENT, new TimeoutException("its time was spent before it could be sent"), List.of());
    }

    private static FailureKind kindOf(Throwable cause) {
        if (cause instanceof TransactionCanceledException cancelled) {
            return kindOf(cancelled);
        }
        if (cause instanceof ConditionalCheckFailedException) {
            return FailureKind.CONDITION;
        }
        if (cause instanceof TransactionConflictException || cause instanceof TransactionInProgressException) {
            return FailureKind.TRANSACTION_CONFLICT;
        }
        if (cause instanceof ReplicatedWriteConflictException) {
            return FailureKind.REPLICATION_CONFLICT;
        }
        if (cause instanceof ResourceNotFoundException) {
            return FailureKind.NOT_FOUND;
        }
        if (cause instanceof AwsServiceException service) {
            if (service.isThrottlingException()
                    || cause instanceof ProvisionedThroughputExceededException
                    || cause instanceof RequestLimitExceededException
                    || cause instanceof ThrottlingException) {
                return FailureKind.THROTTLED;
            }
            return service.statusCode() >= 500 ? FailureKind.SERVER_ERROR : FailureKind.REFUSED;
        }
        if (hasCause(cause, NotSentException.class) || hasCause(cause, CredentialsException.class)) {
            return FailureKind.NOT_SENT;
        }
        if (cause instanceof TimeoutException
                || cause instanceof ApiCallTimeoutException
                || cause instanceof ApiCallAttemptTimeoutException) {
            return FailureKind.NO_ANSWER;
        }
        if (cause instanceof SdkClientException client && !client.retryable() && client.getCause() == null) {
            return FailureKind.REFUSED;
        }
        // What is thrown by a client that is closed meanwhile says nothing about the request.
        return cause instanceof SdkClientException
                        || cause instanceof IOException
                        || cause instanceof IllegalStateException
                        || cause instanceof RejectedExecutionException
                ? FailureKind.CONNECTION
                : FailureKind.REFUSED;
    }

    /** Whether a refused request is wrong in itself; what is not known to be so may be taken another time. */
    boolean isInvalid() {
        if (kind != FailureKind.REFUSED) {
            return false;
        }
        if (cause instanceof TransactionCanceledException cancelled) {
            return cancelled.cancellationReasons().stream().anyMatch(reason -> INVALID_REASONS.contains(reason.code()));
        }
        if (cause instanceof AwsServiceException service) {
            return service.statusCode() == BODY_TOO_LARGE
                    || (service.awsErrorDetails() != null
                            && INVALID_CODES.contains(service.awsErrorDetails().errorCode()));
        }
        return !(cause instanceof SdkClientException);
    }

    /** Whether DynamoDB does not know, or no longer accepts, who sent the request. */
    boolean isOfCredentials() {
        return cause instanceof AwsServiceException service
                && service.awsErrorDetails() != null
                && CREDENTIALS_CODES.contains(
                        String.valueOf(service.awsErrorDetails().errorCode()));
    }

    private static boolean hasCause(Throwable thrown, Class<? extends Throwable> type) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
                .limit(MOST_CAUSES)
                .anyMatch(type::isInstance);
    }

    private static FailureKind kindOf(TransactionCanceledException cancelled) {
        Set<String> codes = cancelled.cancellationReasons().stream()
                .map(CancellationReason::code)
                .collect(Collectors.toSet());
        codes.remove("None");
        if (codes.contains(CONDITION_REASON)) {
            return FailureKind.CONDITION;
        }
        if (codes.stream().anyMatch(THROTTLED_REASONS::contains)) {
            return FailureKind.THROTTLED;
        }
        return codes.contains(CONFLICT_REASON) ? FailureKind.TRANSACTION_CONFLICT : FailureKind.REFUSED;
    }

    private static List<Reason> throttlingOf(Throwable cause) {
        List<ThrottlingReason> reasons = List.of();
        if (cause instanceof ProvisionedThroughputExceededException e) {
            reasons = e.throttlingReasons();
        } else if (cause instanceof ThrottlingException e) {
            reasons = e.throttlingReasons();
        } else if (cause instanceof RequestLimitExceededException e) {
            reasons = e.throttlingReasons();
        } else if (cause instanceof TransactionCanceledException e) {
            return e.cancellationReasons().stream()
                    .filter(r -> THROTTLED_REASONS.contains(r.code()))
                    .map(r -> new Reason(r.code(), String.valueOf(r.message())))
                    .distinct()
                    .toList();
        }
        return reasons.stream()
                .map(r -> new Reason(String.valueOf(r.reason()), String.valueOf(r.resource())))
                .toList();
    }
}
