package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.http.HttpSettings;
import io.varve.store.SettingsException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;

class ClientSettingsTest {

    private static Config section(String overrides) {
        return ConfigFactory.parseString(overrides)
                .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH));
    }

    private static ClientSettings read(String overrides) {
        return ClientSettings.from(section(overrides), ClientSettings.PATH);
    }

    @Test
    void defaults_leaveRegionAndCredentialsToTheSdk() {
        ClientSettings settings = read("");
        assertThat(settings.region()).isEmpty();
        assertThat(settings.endpoint()).isEmpty();
        assertThat(settings.credentials()).isInstanceOf(Credentials.DefaultChain.class);
        assertThat(settings.transport().http()).isEqualTo(HttpSettings.builder().build());
        assertThat(settings.transport().implementation()).isEqualTo(TransportSettings.Implementation.VARVE);
        GatewaySettings gateway = GatewaySettings.from(section(""), ClientSettings.PATH);
        assertThat(gateway.operationTimeout()).isEqualTo(Duration.ofSeconds(8));
        assertThat(gateway.backoff().least()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void addressesOfNames_areKeptForATimeOrNotAtAll() {
        assertThat(read("http.keep-addresses = 5 minutes").transport().http().keepAddresses())
                .isEqualTo(Duration.ofMinutes(5));
        assertThat(read("http.keep-addresses = off").transport().http().keepAddresses())
                .isZero();
    }

    @Test
    void equalConfigurations_areEqual() {
        assertThat(read("region = eu-west-1"))
                .isEqualTo(read("region = eu-west-1"))
                .isNotEqualTo(read("region = eu-west-2"));
    }

    @ParameterizedTest
    @CsvSource({
        "https://dynamodb.eu-central-1.amazonaws.com, eu-central-1",
        "https://dynamodb-fips.us-west-2.amazonaws.com, us-west-2",
        "https://dynamodb.cn-north-1.amazonaws.com.cn, cn-north-1",
        "https://vpce-1a2b.dynamodb.us-east-1.vpce.amazonaws.com, us-east-1",
        "https://dynamodb.eu-west-1.api.aws, eu-west-1",
    })
    void endpointOfAws_namesTheRegionThatSigns(String endpoint, String region) {
        assertThat(read("endpoint = \"" + endpoint + "\"").region()).contains(Region.of(region));
    }

    @Test
    void endpointElsewhere_namesNoRegion() {
        assertThat(read("endpoint = \"http://localhost:8000\"").region()).isEmpty();
    }

    @Test
    void local_setsAddressRegionAndCredentials() {
        ClientSettings settings = read("local { enabled = on, port = 4566 }");
        assertThat(settings.endpoint()).contains(URI.create("http://localhost:4566"));
        assertThat(settings.region()).contains(Region.US_EAST_1);
        assertThat(settings.credentials()).isInstanceOf(Credentials.Fixed.class);
    }

    @Test
    void credentials_comeFromAFixedKeyAProfileOrTheUser() {
        assertThat(read("credentials { access-key-id = id, secret-access-key = s3cr3t }")
                        .credentials())
                .isInstanceOfSatisfying(
                        Credentials.Fixed.class,
                        fixed -> assertThat(
                                        fixed.provider().resolveCredentials().secretAccessKey())
                                .isEqualTo("s3cr3t"));
        assertThat(read("credentials { access-key-id = id, secret-access-key = s3cr3t, session-token = t0k3n }")
                        .credentials()
                        .provider()
                        .resolveCredentials())
                .isInstanceOf(software.amazon.awssdk.auth.credentials.AwsSessionCredentials.class);
        assertThat(read("credentials.profile = ops").credentials()).isEqualTo(new Credentials.Profile("ops"));
        var own = new Credentials.Own(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")));
        assertThat(read("").withCredentials(own).credentials().provider()).isSameAs(own.provider());
    }

    @Test
    void secrets_areNeverPrinted() {
        ClientSettings settings = read("""
                credentials { access-key-id = id, secret-access-key = s3cr3t, session-token = t0k3n }
                http.proxy { host = p, username = u, password = pr0xy }
                """);
        assertThat(settings.toString())
                .doesNotContain("s3cr3t")
                .doesNotContain("t0k3n")
                .doesNotContain("pr0xy");
        var own = new Credentials.Own(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "0wns3cr3t")));
        assertThat(settings.withCredentials(own).toString()).doesNotContain("0wns3cr3t");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    region = eu-wst-1                               | region           | 'eu-wst-1' is not a region that this AWS SDK knows
                    endpoint = "localhost:8000"                     | endpoint         | 'localhost:8000' is not an http or https address; write it with its scheme
                    endpoint = "dynamodb.eu-west-1.amazonaws.com"   | endpoint         | write it with its scheme
                    endpoint = "http://a b"                         | endpoint         | is not an address
                    credentials.access-key-id = id                  | credentials.secret-access-key | is empty although its other half is set
                    credentials.secret-access-key = s3cr3t          | credentials.access-key-id     | is empty although its other half is set
                    credentials.session-token = t0k3n               | credentials.session-token     | needs access-key-id and secret-access-key
                    local.port = 70000                              | local.port       | is 70000, but must be from 1 to 65535
                    http.max-concurrency = 0                        | http.max-concurrency | is 0, but must be at least 1
                    http.connect-timeout = -1 s                     | http.connect-timeout | is -1 s, but must be longer than zero
                    http.connect-timeout = 30 days                  | http:                | connectTimeout is PT720H, but must be at most
                    http.max-answer-size = 1 KiB                    | http.max-answer-size | is not between 1 MiB, a page of DynamoDB's, and 1 GiB
                    http.event-loop-threads = 0                     | http.event-loop-threads | is 0, but must be from 1 to 1024
                    http.connect-timeout = soon                     | http.connect-timeout | has the wrong form
                    http.max-conections = 5                         | http.max-conections  | this setting is not known; this section has
                    regoin = eu-west-1                              | regoin               | this setting is not known; this section has
                    compression.enabled = perhaps                   | compression.enabled  | has the wrong form
                    """)
    void wrongSetting_stopsWithPathAndReason(String setting, String key, String reason) {
        assertThatThrownBy(() -> read(setting))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith(ClientSettings.PATH + "." + key)
                .hasMessageContaining(reason)
                .hasMessageNotContainingAny("s3cr3t", "t0k3n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    operation-timeout = -8 s      | operation-timeout   | is -8 s, but must be longer than zero
                    operation-timeout = 0 s       | operation-timeout   | must be longer than zero
                    request-timeout = -1 ms       | request-timeout     | must be longer than zero
                    retries.max-backoff = 1 us    | retries.max-backoff | is shorter than min-backoff
                    retries.jitter = 1.5          | retries.jitter      | must be from 0.0 to 1.0
                    retries.attempts = 3          | retries.attempts    | this setting is not known
                    batch-parallelism = 0         | batch-parallelism   | is 0, but must be from 1 to 1000
                    clock-skew-tolerance = -2 s   | clock-skew-tolerance | must be longer than zero
                    """)
    void wrongGatewaySetting_stopsWithPathAndReason(String setting, String key, String reason) {
        assertThatThrownBy(() -> GatewaySettings.from(section(setting), ClientSettings.PATH))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith(ClientSettings.PATH + "." + key)
                .hasMessageContaining(reason);
    }

    @Test
    void regionNewerThanTheSdk_isAcceptedTogetherWithAnEndpoint() {
        assertThat(read("region = xx-new-9, endpoint = \"https://dynamodb.xx-new-9.amazonaws.com\"")
                        .region())
                .contains(Region.of("xx-new-9"));
    }

    @Test
    void clockSkewTolerance_canBeSwitchedOff() {
        assertThat(GatewaySettings.from(section("clock-skew-tolerance = off"), ClientSettings.PATH)
                        .clockSkewTolerance())
                .isEmpty();
    }
}
