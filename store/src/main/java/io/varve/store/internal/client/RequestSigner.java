package io.varve.store.internal.client;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner.AuthLocation;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignRequest;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignedRequest;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/**
 * Signs requests with AWS's Signature Version 4, with less work than the SDK's signer. The result is the same to the byte;
 * whatever is unusual for a request to DynamoDB is left to the SDK's.
 */
final class RequestSigner implements HttpSigner<AwsCredentialsIdentity> {
    private static final HexFormat HEX = HexFormat.of();
    private static final String EVENT_STREAM = "application/vnd.amazon.eventstream";

    private final HttpSigner<AwsCredentialsIdentity> sdk;
    private volatile @Nullable SigningKey lastKey;

    RequestSigner(HttpSigner<AwsCredentialsIdentity> sdk) {
        this.sdk = sdk;
    }

    @Override
    public CompletableFuture<AsyncSignedRequest> signAsync(AsyncSignRequest<? extends AwsCredentialsIdentity> request) {
        return sdk.signAsync(request); // of bodies that are streams
    }

    @Override
    public SignedRequest sign(SignRequest<? extends AwsCredentialsIdentity> request) {
        return (isUsual(request) ? signed(request) : Optional.<SignedRequest>empty())
                .orElseGet(() -> sdk.sign(request));
    }

    /** How a path is encoded makes no difference to "/", so that those properties are not asked for. */
    private static boolean isUsual(SignRequest<? extends AwsCredentialsIdentity> request) {
        return isUsual(request.identity())
                && isUsual(request.request())
                && request.hasProperty(AwsV4HttpSigner.REGION_NAME)
                && request.hasProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME)
                && request.requireProperty(AwsV4HttpSigner.AUTH_LOCATION, AuthLocation.HEADER) == AuthLocation.HEADER
                && request.requireProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, true)
                && !request.requireProperty(AwsV4HttpSigner.CHUNK_ENCODING_ENABLED, false)
                && !request.hasProperty(AwsV4HttpSigner.CHECKSUM_ALGORITHM)
                && !request.hasProperty(AwsV4HttpSigner.EXPIRATION_DURATION);
    }

    private static boolean isUsual(AwsCredentialsIdentity identity) {
        boolean anonymous = identity.accessKeyId() == null || identity.secretAccessKey() == null;
        return !anonymous
                && !(identity instanceof AwsSessionCredentialsIdentity session && session.sessionToken() == null);
    }

    private static boolean isUsual(SdkHttpRequest http) {
        return (http.encodedPath().isEmpty() || http.encodedPath().equals("/"))
                && http.numRawQueryParameters() == 0
                && !http.firstMatchingHeader("Content-Type").orElse("").equals(EVENT_STREAM);
    }

    private Optional<SignedRequest> signed(SignRequest<? extends AwsCredentialsIdentity> request) {
        AwsCredentialsIdentity identity = request.identity();
        long now = request.requireProperty(SIGNING_CLOCK, Clock.systemUTC())
                .instant()
                .getEpochSecond();
        SigningKey key = key(
                identity.secretAccessKey().trim(),
                now,
                request.property(AwsV4HttpSigner.REGION_NAME),
                request.property(AwsV4HttpSigner.SERVICE_SIGNING_NAME));
        String time = key.time(now);
        MessageDigest digest = sha256();
        String contentHash = HEX.formatHex(hash(request.payload(), digest));

        SdkHttpRequest.Builder http = request.request().toBuilder();
        http.putHeader("x-amz-content-sha256", contentHash);
        http.putHeader("X-Amz-Date", time);
        if (identity instanceof AwsSessionCredentialsIdentity session) {
            http.putHeader("X-Amz-Security-Token", session.sessionToken().trim());
        }
        if (http.matchingHeaders("Host").isEmpty()) {
            http.putHeader("Host", host(request.request()));
        }

        CanonicalRequest canonical = new CanonicalRequest(http, contentHash);
        AsciiText toSign = new AsciiText(192)
                .append("AWS4-HMAC-SHA256\n")
                .append(time)
                .append('\n')
                .append(key.scope())
                .append('\n')
                .append(HEX.formatHex(canonical.digest(digest)));
        if (!canonical.isUsual() || !toSign.isComplete()) {
            return Optional.empty();
        }
        http.putHeader(
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=" + identity.accessKeyId().trim() + "/" + key.scope() + ", SignedHeaders="
                        + canonical.signedHeaders() + ", Signature=" + HEX.formatHex(key.sign(toSign)));
        return Optional.of(SignedRequest.builder()
                .request(http.build())
                .payload(request.payload().orElse(null))
                .build());
    }

    /** One is kept: a client has one secret at a time, and a day has 86,400 seconds. */
    private SigningKey key(String secret, long now, String region, String service) {
        SigningKey known = lastKey;
        if (known == null || !known.isFor(secret, now, region, service)) {
            known = new SigningKey(secret, now, region, service);
            lastKey = known;
        }
        return known;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Each Java platform has SHA-256", e);
        }
    }

    /** Of the bytes in memory, which are not copied for it. The stream stays open: it may be the one that is sent. */
    private static byte[] hash(Optional<ContentStreamProvider> payload, MessageDigest digest) {
        if (payload.isPresent()) {
            try {
                payload.get().newStream().transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return digest.digest();
    }

    private static String host(SdkHttpRequest http) {
        return SdkHttpUtils.isUsingStandardPort(http.protocol(), http.port())
                ? http.host()
                : http.host() + ":" + http.port();
    }
}
