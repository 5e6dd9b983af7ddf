package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

/** The examples that AWS has published for Signature Version 4. */
class SignatureVectorsTest {
    private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    private static final long TIME = Instant.parse("2015-08-30T12:36:00Z").getEpochSecond();
    private static final String NO_CONTENT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static String sign(SigningKey key, String canonicalHash) {
        AsciiText toSign = new AsciiText(0)
                .append("AWS4-HMAC-SHA256\n20150830T123600Z\n")
                .append(key.scope())
                .append('\n')
                .append(canonicalHash);
        return HexFormat.of().formatHex(key.sign(toSign));
    }

    /** "Create a signed AWS API request" in the IAM User Guide: ListUsers. */
    @Test
    void userGuide_listUsers() {
        SigningKey key = new SigningKey(SECRET, TIME, "us-east-1", "iam");
        assertThat(key.scope()).isEqualTo("20150830/us-east-1/iam/aws4_request");
        assertThat(key.time(TIME)).isEqualTo("20150830T123600Z");
        assertThat(sign(key, "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59"))
                .isEqualTo("5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
    }

    /** "post-vanilla" of the Signature Version 4 test suite. */
    @Test
    void testSuite_postVanilla() throws Exception {
        CanonicalRequest canonical = new CanonicalRequest(
                SdkHttpRequest.builder()
                        .method(SdkHttpMethod.POST)
                        .putHeader("Host", "example.amazonaws.com")
                        .putHeader("X-Amz-Date", "20150830T123600Z"),
                NO_CONTENT);
        String hash = HexFormat.of().formatHex(canonical.digest(MessageDigest.getInstance("SHA-256")));
        assertThat(canonical.isUsual()).isTrue();
        assertThat(canonical.signedHeaders()).isEqualTo("host;x-amz-date");
        assertThat(hash).isEqualTo("553f88c9e4d10fc9e109e2aeb65f030801b70c2f6468faca261d401ae622fc87");
        assertThat(sign(new SigningKey(SECRET, TIME, "us-east-1", "service"), hash))
                .isEqualTo("5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    }
}
