package io.varve.benchmark.sdk;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.benchmark.driver.ClosedLoop;
import io.varve.benchmark.driver.DriverMain;
import io.varve.benchmark.driver.MeasuredNode;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The measured JVM of the SDK: each worker puts one item after another, with the SDK's own settings but for the connections. */
public final class SdkMain implements MeasuredNode {
    private static final int CONNECTIONS = 200;

    private final DynamoDbAsyncClient client;
    private final String table;
    private final SdkBytes payload;
    private final AtomicLongArray numbers = new AtomicLongArray(100_000);

    private SdkMain(Config config) {
        this.client = DynamoDbAsyncClient.builder()
                .endpointOverride(URI.create(config.getString("endpoint")))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("dummy", "dummy")))
                .httpClientBuilder(NettyNioAsyncHttpClient.builder()
                        .maxConcurrency(CONNECTIONS)
                        .maxPendingConnectionAcquires(10_000))
                .build();
        this.table = config.getString("table");
        this.payload = SdkBytes.fromUtf8String("x".repeat(config.getInt("payload-bytes")));
    }

    /** Answers commands. */
    public static void main(String[] arguments) throws InterruptedException {
        DriverMain.serve(config -> new SdkMain(ConfigFactory.parseString(config).getConfig("benchmark")));
    }

    @Override
    public Map<String, ?> run(String command, Config arguments) throws InterruptedException {
        return switch (command) {
            case "recover", "stop" -> Map.of(); // there are no entities
            case "loop" -> loop(arguments.getStringList("ids"), arguments);
            default -> throw new IllegalArgumentException("The bare client knows no " + command);
        };
    }

    private Map<String, Object> loop(List<String> ids, Config arguments) throws InterruptedException {
        return new ClosedLoop(
                        ids.size(), arguments.getLong("warmUp"), 1, (worker, outcome) -> put(ids, worker, outcome))
                .run(Duration.ofMillis(arguments.getLong("millis")));
    }

    private void put(List<String> ids, int worker, ClosedLoop.Outcome outcome) {
        String id = ids.get(worker);
        long number = numbers.incrementAndGet(worker);
        Map<String, AttributeValue> item = Map.of(
                "par", AttributeValue.fromS("journal-P-" + id + "-" + number / 100),
                "num", AttributeValue.fromN(Long.toString(number % 100)),
                "event", AttributeValue.fromB(payload));
        client.putItem(request -> request.tableName(table).item(item)).whenComplete((answer, failure) -> {
            if (failure == null) {
                outcome.persisted();
            } else {
                outcome.failed(failure);
            }
        });
    }

    @Override
    public void close() {
        client.close();
    }
}
