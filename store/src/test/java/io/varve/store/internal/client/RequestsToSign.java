package io.varve.store.internal.client;

import java.io.ByteArrayInputStream;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;

/** Requests that wait for their signature. */
final class RequestsToSign {
    private RequestsToSign() {}

    static SdkHttpFullRequest.Builder putItem() {
        return SdkHttpFullRequest.builder()
                .method(SdkHttpMethod.POST)
                .protocol("https")
                .host("dynamodb.eu-west-1.amazonaws.com")
                .encodedPath("/")
                .putHeader("Content-Type", "application/x-amz-json-1.0")
                .putHeader("X-Amz-Target", "DynamoDB_20120810.PutItem")
                .contentStreamProvider(ContentStreamProvider.fromUtf8String("{}"));
    }

    static SignRequest.Builder<AwsCredentialsIdentity> toSign(
            SdkHttpFullRequest.Builder http, AwsCredentialsIdentity identity, Instant time) {
        SdkHttpFullRequest request = http.build();
        return SignRequest.builder(identity)
                .request(request)
                .payload(request.contentStreamProvider().orElse(null))
                .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(time, ZoneOffset.UTC))
                .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-west-1")
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "dynamodb");
    }

    /** What our signer signs by itself, however odd it is. */
    static SignRequest<AwsCredentialsIdentity> any(Random random) {
        boolean tls = random.nextBoolean();
        SdkHttpFullRequest.Builder http = putItem()
                .method(random.nextInt(4) == 0 ? SdkHttpMethod.GET : SdkHttpMethod.POST)
                .protocol(tls ? "https" : "http")
                .host(oneOf(random, "localhost", "dynamodb.eu-west-1.amazonaws.com", "[::1]"))
                .port(oneOf(random, -1, 80, 443, 8000))
                .encodedPath(oneOf(random, "/", ""))
                .contentStreamProvider(anyContent(random));
        for (String name : List.of(
                "Host",
                "host",
                "User-Agent",
                "Connection",
                "EXPECT",
                "amz-sdk-request",
                "x-amz-meta_a",
                "X-Amz-Meta-A",
                "X-Amz-Date",
                "x-amz-content-sha256",
                "Authorization",
                "Content-Length",
                "z",
                "A-1",
                "A1",
                "x-amzn-b")) {
            if (random.nextInt(3) == 0) {
                http.putHeader(
                        name,
                        Stream.generate(() -> anyValue(random))
                                .limit(1 + random.nextInt(3))
                                .toList());
            }
        }
        // The last seconds of a day and the first of the next. (Before 1970 the SDK takes two days for one.)
        Instant time = oneOf(
                        random,
                        Instant.parse("2026-11-18T23:59:59.999Z"),
                        Instant.parse("2027-01-01T00:00:00Z"),
                        Instant.parse("2028-02-29T23:59:59Z"),
                        Instant.parse("1970-01-01T23:59:58Z"))
                .plusSeconds(random.nextInt(3));
        return toSign(http, anyIdentity(random), time)
                .putProperty(AwsV4HttpSigner.REGION_NAME, oneOf(random, "eu-west-1", "us-gov-east-1"))
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, oneOf(random, "dynamodb", "dynamodb-streams"))
                .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, random.nextBoolean())
                .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, random.nextBoolean())
                .build();
    }

    private static @Nullable ContentStreamProvider anyContent(Random random) {
        if (random.nextInt(6) == 0) {
            return null;
        }
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return oneOf(
                random,
                ContentStreamProvider.fromByteArray(bytes),
                ContentStreamProvider.fromUtf8String(""),
                ContentStreamProvider.fromUtf8String("{\"name\": \"Zoë 漢字 🦆\"}"),
                ContentStreamProvider.fromInputStream(new ByteArrayInputStream(bytes)),
                () -> new ByteArrayInputStream(bytes, bytes.length / 3, bytes.length / 2));
    }

    private static String anyValue(Random random) {
        StringBuilder value = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            value.append(
                    oneOf(random, "a", "Bc", " ", "  ", "\t", "\n", "\u000b", "\f", "\r", ",", ";", ":", "\"", "~"));
        }
        return value.toString();
    }

    private static AwsCredentialsIdentity anyIdentity(Random random) {
        String secret = oneOf(random, "secret", " with/odd+characters= ", "ünicode", "long".repeat(30));
        return random.nextBoolean()
                ? AwsCredentialsIdentity.create(oneOf(random, "AKID", " AKID2 "), secret)
                : AwsSessionCredentialsIdentity.create(
                        "ASIA", secret, oneOf(random, "token", "to/ken+=".repeat(200), " t "));
    }

    @SafeVarargs
    private static <T> T oneOf(Random random, T... values) {
        return values[random.nextInt(values.length)];
    }
}
