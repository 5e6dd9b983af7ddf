package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.SettingsException;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.settings.Secret;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/** Keys, tokens and passwords are in no text of ours: all of them contain {@code s3cr3t} here. */
class SecretsTest {
    private static final String SECRETS = """
            credentials { access-key-id = id, secret-access-key = s3cr3t-key, session-token = s3cr3t-token }
            http.proxy { host = proxy, username = user, password = s3cr3t-password }
            """;

    private static Config section(String settings) {
        return ConfigFactory.parseString(settings)
                .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH))
                .resolve();
    }

    private static ClientSettings read(String settings) {
        return ClientSettings.from(section(settings), ClientSettings.PATH);
    }

    static List<Object> holdersOfSecrets() {
        AwsCredentialsProvider fixed =
                StaticCredentialsProvider.create(AwsSessionCredentials.create("id", "s3cr3t-key", "s3cr3t-token"));
        AwsCredentialsProvider asked = AwsCredentialsProviderChain.of(fixed);
        KnownCredentials known = (KnownCredentials) KnownCredentials.of(asked, false);
        known.valid().join();
        ClientSettings settings = read(SECRETS);
        Config predecessor = ConfigFactory.parseString("""
                aws-access-key-id = id, aws-secret-access-key = s3cr3t-key
                aws-client-config { proxy-host = p, proxy-password = s3cr3t-password }
                """);
        return List.of(
                new Secret("s3cr3t"),
                settings,
                settings.credentials(),
                settings.credentials().provider(),
                settings.transport(),
                settings.transport().proxy(),
                settings.withCredentials(new Credentials.Own(asked)),
                known,
                known.valid(),
                KnownCredentials.of(fixed, false),
                new SigningKey("s3cr3t-key", 0, "eu-west-1", "dynamodb"),
                SigningScheme.ofOurs(),
                PredecessorConfig.from(predecessor, "dynamodb-journal"));
    }

    @ParameterizedTest
    @MethodSource("holdersOfSecrets")
    void toString_hasNoSecret(Object holder) {
        assertThat(holder.toString()).isNotEmpty().doesNotContain("s3cr3t");
    }

    @Test
    void client_printsNoSecret() {
        ClientFactory.Built built = ClientFactory.build(read("region = eu-west-1\n" + SECRETS));
        try {
            assertThat(built.toString()).doesNotContain("s3cr3t");
        } finally {
            built.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "credentials.secret-access-key = s3cr3t",
                "credentials.session-token = s3cr3t",
                "credentials { access-key-id = id, secret-access-key = [s3cr3t] }",
                "credentials { access-key-id = id, secret-access-key { value = s3cr3t } }",
                "credentials { access-key-id = id, secret-acess-key = s3cr3t }",
                "credentials { access-key-id = id, secret-access-key = s3cr3t, profile = p }",
                "credentials = s3cr3t",
                "http.proxy { host = p, password = [s3cr3t] }",
                "http.proxy { host = p, pasword = s3cr3t }",
                "http.proxy { host = \"user:s3cr3t@proxy\" }",
                "http.proxy = s3cr3t",
                "endpoint = \"https://user:s3cr3t@dynamodb.example\"",
                "endpoint = \"user:s3cr3t@dynamodb.example\"",
                "endpoint = \"https://user:s3cr3t@ dynamodb.example\""
            })
    void errorsOfTheConfiguration_haveNoSecret(String wrong) {
        assertThatThrownBy(() -> read(wrong)).isInstanceOf(SettingsException.class);
        assertThat(printed(catchThrowable(() -> read(wrong)))).doesNotContain("s3cr3t");
    }

    /** AWS may answer so to a request whose signature is wrong. */
    @Test
    void refusedSignature_doesNotRepeatTheSessionToken() {
        String message = """
                The request signature we calculated does not match the signature you provided.

                The Canonical String for this request should have been
                'POST
                /

                host:dynamodb.eu-west-1.amazonaws.com
                x-amz-date:20261117T000000Z
                x-amz-security-token:s3cr3t/token+with=all

                host;x-amz-date;x-amz-security-token
                0123'
                """;
        Failure failure = Failure.of(DynamoDbException.builder()
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode("InvalidSignatureException")
                        .errorMessage(message)
                        .build())
                .build());
        assertThat(failure.isOfCredentials()).isTrue();
        Throwable thrown = Translation.exception(
                "PutItem",
                "journal",
                failure,
                1,
                new Budget(Duration.ofSeconds(8), Surroundings.OF_THIS_MACHINE),
                false);
        assertThat(thrown).hasMessageContaining("was refused").hasCauseInstanceOf(DynamoDbException.class);
        assertThat(printed(thrown)).contains("x-amz-security-token:***").doesNotContain("s3cr3t");
    }

    /** A text with all causes, as a log has it. */
    private static String printed(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}
