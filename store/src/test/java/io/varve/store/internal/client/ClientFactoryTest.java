package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.typesafe.config.ConfigFactory;
import io.varve.http.VarveAsyncHttpClient;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

@DynamoDBTest
class ClientFactoryTest {
    private final DynamoDBLocal local;

    ClientFactoryTest(DynamoDBLocal local) {
        this.local = local;
    }

    private static ClientFactory.Built build(String settings) {
        return ClientFactory.build(ClientSettings.from(
                ConfigFactory.parseString(settings)
                        .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH)),
                ClientSettings.PATH));
    }

    private SdkAsyncHttpClient httpOfAWorkingClient(String settings) {
        ClientFactory.Built built =
                build("""
                local { enabled = on, host = "%s", port = %d }
                """.formatted(local.endpoint().getHost(), local.endpoint().getPort()) + settings);
        try {
            assertThat(built.client().listTables().join().hasTableNames()).isTrue();
            return built.http();
        } finally {
            built.close();
        }
    }

    @Test
    void byDefault_theHttpClientIsOurs() {
        assertThat(httpOfAWorkingClient("")).isInstanceOf(VarveAsyncHttpClient.class);
    }

    @Test
    void implementationSdk_isTheSdksOwn() {
        assertThat(httpOfAWorkingClient("http.implementation = sdk")).isNotInstanceOf(VarveAsyncHttpClient.class);
    }

    @Test
    void proxy_isUsed() throws Exception {
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            ClientFactory.Built built = build("""
                    endpoint = "https://dynamodb.invalid"
                    region = eu-west-1
                    credentials { access-key-id = some, secret-access-key = key }
                    http.proxy { host = localhost, port = %d }
                    """.formatted(proxy.getLocalPort()));
            try {
                built.client().listTables();
                assertThat(firstLineTo(proxy)).isEqualTo("CONNECT dynamodb.invalid:443 HTTP/1.1");
            } finally {
                built.close();
            }
        }
    }

    private static List<String> warningsFor(String endpoint) {
        Logger logger = (Logger) LoggerFactory.getLogger(ClientFactory.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        try {
            build("""
                    endpoint = "%s"
                    credentials { access-key-id = some, secret-access-key = key }
                    """.formatted(endpoint)).close();
        } finally {
            logger.setAdditive(true);
            logger.detachAppender(logged);
        }
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void endpointOfPlainHttp_whichIsNotOnThisMachine_isWarnedOf() {
        for (String endpoint : List.of("http://dynamodb.example:8000", "http://10.1.2.3", "http://[2001:db8::1]:80")) {
            assertThat(warningsFor(endpoint)).singleElement(STRING).contains(endpoint, "https");
        }
    }

    @Test
    void endpointOfTls_orOnThisMachine_isNotWarnedOf() {
        for (String endpoint : List.of(
                "https://dynamodb.example",
                "http://localhost:8000",
                "http://LOCALHOST:8000",
                "http://127.0.0.1:8000",
                "http://127.3.2.1",
                "http://[::1]:8000")) {
            assertThat(warningsFor(endpoint)).isEmpty();
        }
    }

    private static String firstLineTo(ServerSocket proxy) throws Exception {
        proxy.setSoTimeout(10_000);
        try (Socket connection = proxy.accept()) {
            return new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }
}
