package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.SettingsException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.regions.Region;

class PredecessorConfigTest {

    private static Config merged(PredecessorConfig predecessor) {
        return predecessor
                .overlay()
                .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH));
    }

    private static PredecessorConfig read(String section) {
        return PredecessorConfig.from(ConfigFactory.parseString(section), "my-dynamodb-journal");
    }

    @Test
    void oldKeys_becomeOurs() {
        PredecessorConfig predecessor = read("""
                endpoint = "https://dynamodb.eu-west-1.amazonaws.com"
                aws-access-key-id = id
                aws-secret-access-key = s3cr3t
                operation-timeout = 5 seconds
                aws-client-config {
                  max-connections = 77, request-timeout = 900, connection-timeout = 800, socket-timeout = 0
                  use-tcp-keepalive = true, proxy-host = p, proxy-port = 81, user-agent = me
                  max-error-retry = default
                }
                """);
        ClientSettings client = ClientSettings.from(merged(predecessor), ClientSettings.PATH);
        GatewaySettings gateway = GatewaySettings.from(merged(predecessor), ClientSettings.PATH);
        assertThat(client.endpoint()).contains(URI.create("https://dynamodb.eu-west-1.amazonaws.com"));
        assertThat(client.region()).contains(Region.EU_WEST_1);
        assertThat(client.credentials()).isInstanceOf(Credentials.Fixed.class);
        assertThat(client.transport().http().maxConcurrency()).isEqualTo(77);
        assertThat(client.transport().http().connectTimeout()).isEqualTo(Duration.ofMillis(800));
        assertThat(client.transport().http().readTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(client.transport().http().tcpKeepAlive()).isTrue();
        assertThat(client.transport().proxy())
                .hasValueSatisfying(p -> assertThat(p.port()).isEqualTo(81));
        assertThat(client.userAgent()).contains("me");
        assertThat(gateway.operationTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(gateway.requestTimeout()).isEqualTo(Duration.ofMillis(900));
        assertThat(predecessor.ignored()).isEmpty();
    }

    @Test
    void emptyOldKeys_changeNothing() {
        PredecessorConfig predecessor = read(
                "endpoint = \"\", aws-access-key-id = \"\", aws-secret-access-key = \"\", aws-client-config { protocol = default }");
        assertThat(predecessor.overlay().isEmpty()).isTrue();
        assertThat(predecessor.ignored()).isEmpty();
    }

    @Test
    void oldEndpointWithoutScheme_takesTheOldProtocol() {
        assertThat(ClientSettings.from(merged(read("endpoint = \"dynamodb.eu-west-1.amazonaws.com\"")), "p")
                        .endpoint())
                .contains(URI.create("https://dynamodb.eu-west-1.amazonaws.com"));
        assertThat(ClientSettings.from(
                                merged(read("endpoint = \"localhost:8000\", aws-client-config.protocol = HTTP")), "p")
                        .endpoint())
                .contains(URI.create("http://localhost:8000"));
    }

    @Test
    void oldKeysWithoutMeaning_areListed() {
        assertThat(read("aws-client-config { use-gzip = true, signer-override = x, max-error-retry = 3 }")
                        .ignored())
                .containsExactly(
                        "my-dynamodb-journal.aws-client-config.max-error-retry",
                        "my-dynamodb-journal.aws-client-config.signer-override",
                        "my-dynamodb-journal.aws-client-config.use-gzip");
    }

    @Test
    void errorInAnOldKey_namesTheOldKey() {
        Config config = merged(read("aws-client-config.max-connections = many"));
        assertThatThrownBy(() -> ClientSettings.from(config, ClientSettings.PATH))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("my-dynamodb-journal.aws-client-config.max-connections");
        Config half = merged(read("aws-secret-access-key = s3cr3t"));
        assertThatThrownBy(() -> ClientSettings.from(half, ClientSettings.PATH))
                .isInstanceOf(SettingsException.class)
                .hasMessageNotContaining("s3cr3t");
    }
}
