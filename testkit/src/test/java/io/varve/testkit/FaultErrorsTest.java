package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.PointInTimeRecoveryStatus;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;
import software.amazon.awssdk.services.dynamodb.model.TransactionInProgressException;

/** Faults by which DynamoDB refuses a request, as a plain client sees them. */
final class FaultErrorsTest extends ProxyFixture {

    private static final ThrottlingReason REASON = ThrottlingReason.builder()
            .reason("TableWriteMaxOnDemandThroughputExceeded")
            .resource("arn:aws:dynamodb:us-east-1:000000000000:table/journal")
            .build();

    FaultErrorsTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
    }

    @Test
    void throttle_withProvisionedThroughputExceeded_clientSeesReasonAndResource() {
        proxy.on(RequestMatch.any(), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED, REASON));

        var failure = failure(put("a", 1), ProvisionedThroughputExceededException.class);

        assertThat(failure.throttlingReasons()).containsExactly(REASON);
        assertThat(failure.isThrottlingException()).isTrue();
        assertThat(isStored("a", 1)).isFalse();
    }

    @Test
    void throttle_withThrottling_clientSeesReasonAndResource() {
        proxy.on(RequestMatch.any(), Fault.throttle(ThrottleCode.THROTTLING, REASON));

        assertThat(failure(put("a", 1), ThrottlingException.class).throttlingReasons())
                .containsExactly(REASON);
    }

    @Test
    void throttle_withRequestLimitExceeded_clientSeesReasonAndResource() {
        proxy.on(RequestMatch.any(), Fault.throttle(ThrottleCode.REQUEST_LIMIT_EXCEEDED, REASON));

        assertThat(failure(put("a", 1), RequestLimitExceededException.class).throttlingReasons())
                .containsExactly(REASON);
    }

    @Test
    void throttle_withoutReasons_clientSeesNone() {
        proxy.on(RequestMatch.any(), Fault.throttle(ThrottleCode.THROTTLING));

        var failure = failure(put("a", 1), ThrottlingException.class);

        assertThat(failure.hasThrottlingReasons()).isFalse();
        assertThat(failure.statusCode()).isEqualTo(400);
        assertThat(failure.awsErrorDetails().errorMessage()).startsWith("Throughput exceeds");
    }

    @Test
    void throttle_withAReasonWithoutResource_clientSeesTheReason() {
        ThrottlingReason bare = ThrottlingReason.builder()
                .reason("TableWriteAccountLimitExceeded")
                .build();
        proxy.on(RequestMatch.any(), Fault.throttle(ThrottleCode.THROTTLING, bare));

        assertThat(failure(put("a", 1), ThrottlingException.class).throttlingReasons())
                .containsExactly(bare);
    }

    @Test
    void internalServerError_clientSeesStatus500() {
        proxy.on(RequestMatch.any(), Fault.internalServerError());

        assertThat(failure(put("a", 1), InternalServerErrorException.class).statusCode())
                .isEqualTo(500);
    }

    @Test
    void serviceUnavailable_clientSeesStatus503() {
        proxy.on(RequestMatch.any(), Fault.serviceUnavailable());

        assertThat(failure(put("a", 1), DynamoDbException.class).statusCode()).isEqualTo(503);
    }

    @Test
    void error_withAnyCode_clientSeesCodeAndMessage() {
        proxy.on(RequestMatch.any(), Fault.error(400, "AccessDeniedException", "not you"));

        var failure = failure(put("a", 1), DynamoDbException.class);

        assertThat(failure.awsErrorDetails().errorCode()).isEqualTo("AccessDeniedException");
        assertThat(failure.awsErrorDetails().errorMessage()).isEqualTo("not you");
    }

    @Test
    void transactionConflict_onASingleWrite_clientSeesConflict() {
        proxy.on(RequestMatch.operation("PutItem"), Fault.transactionConflict());

        assertThat(failure(put("a", 1), TransactionConflictException.class))
                .hasMessageContaining("Transaction is ongoing for the item");
    }

    @Test
    void transactionInProgress_clientSeesIt() {
        proxy.on(RequestMatch.operation("TransactWriteItems"), Fault.transactionInProgress());

        failure(
                client.transactWriteItems(request -> request.transactItems(transactPut(Tables.key("a", 1)))),
                TransactionInProgressException.class);
    }

    @Test
    void cancelTransaction_withCodes_clientSeesReasonsForAllItems() {
        proxy.on(RequestMatch.any(), Fault.cancelTransaction("None", "TransactionConflict"));

        var failure = failure(
                client.transactWriteItems(request -> request.transactItems(
                        transactPut(Tables.key("a", 1)),
                        transactPut(Tables.key("a", 2)),
                        transactPut(Tables.key("a", 3)))),
                TransactionCanceledException.class);

        assertThat(failure.cancellationReasons())
                .extracting(CancellationReason::code)
                .containsExactly("None", "TransactionConflict", "None");
        assertThat(failure.cancellationReasons().get(1).message()).isEqualTo("Transaction is ongoing for the item");
        assertThat(failure.awsErrorDetails().errorMessage())
                .isEqualTo("Transaction cancelled, please refer cancellation reasons for specific reasons"
                        + " [None, TransactionConflict, None]");
        assertThat(isStored("a", 1)).isFalse();
    }

    @Test
    void cancelTransaction_withMoreCodesThanItems_clientSeesOneReasonPerItem() {
        proxy.on(RequestMatch.any(), Fault.cancelTransaction("TransactionConflict", "None", "None"));

        var failure = failure(
                client.transactWriteItems(request -> request.transactItems(transactPut(Tables.key("a", 1)))),
                TransactionCanceledException.class);

        assertThat(failure.cancellationReasons())
                .extracting(CancellationReason::code)
                .containsExactly("TransactionConflict");
    }

    @Test
    void cancelTransaction_onASingleWrite_letsItPass() {
        proxy.on(RequestMatch.any(), Fault.cancelTransaction("TransactionConflict"));

        put("a", 1).join();

        assertThat(isStored("a", 1)).isTrue();
    }

    @Test
    void cancelTransaction_withAnItem_clientSeesTheItem() {
        Map<String, AttributeValue> item =
                Map.of("par", Tables.text("a"), "num", Tables.number(1), "event", Tables.binary(3));
        CancellationReason reason = CancellationReason.builder()
                .code("ConditionalCheckFailed")
                .message("The conditional request failed")
                .item(item)
                .build();
        proxy.on(RequestMatch.any(), Fault.cancelTransaction(reason));

        var failure = failure(
                client.transactWriteItems(request -> request.transactItems(transactPut(Tables.key("a", 1)))),
                TransactionCanceledException.class);

        assertThat(failure.cancellationReasons()).isEqualTo(List.of(reason));
    }

    @Test
    void respond_toAnOperationThatLocalDoesNotKnow_clientSeesTheAnswer() {
        proxy.on(
                RequestMatch.operation("UpdateContinuousBackups"),
                Fault.respond("{\"ContinuousBackupsDescription\":{\"ContinuousBackupsStatus\":\"ENABLED\","
                        + "\"PointInTimeRecoveryDescription\":{\"PointInTimeRecoveryStatus\":\"ENABLED\"}}}"));

        var answer = client.updateContinuousBackups(request -> request.tableName(table)
                        .pointInTimeRecoverySpecification(recovery -> recovery.pointInTimeRecoveryEnabled(true)))
                .join();

        assertThat(answer.continuousBackupsDescription()
                        .pointInTimeRecoveryDescription()
                        .pointInTimeRecoveryStatus())
                .isEqualTo(PointInTimeRecoveryStatus.ENABLED);
        assertThat(proxy.requests().operations()).containsExactly("UpdateContinuousBackups");
    }
}
