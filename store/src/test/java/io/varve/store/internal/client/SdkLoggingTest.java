package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** What the libraries under the store log of secrets and events, where all loggers are at TRACE. */
@DynamoDBTest
@SuppressWarnings("unchecked") // varargs of the SDK's builders
class SdkLoggingTest {
    private static final String SIGNER = "software.amazon.awssdk.http.auth.aws";
    private static final String WIRE = "io.netty.handler.logging";
    private static final Pattern ROW_OF_BYTES = Pattern.compile("\\|[0-9a-f]{8}\\|((?: [0-9a-f]{2})+) *\\|");

    private static final String KEY = "s3cr3t-key";
    private static final String TOKEN = "s3cr3t-token";
    private static final String EVENT = "the content of an event";

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Level usual = root.getLevel();
    private final List<Appender<ILoggingEvent>> silenced = new ArrayList<>();
    private final Queue<ILoggingEvent> logged = new ConcurrentLinkedQueue<>();
    private final DynamoDBLocal dynamoDB;
    private final String table;

    SdkLoggingTest(DynamoDBLocal dynamoDB, TableNames tables) {
        this.dynamoDB = dynamoDB;
        this.table = tables.journal();
    }

    @BeforeEach
    void listen() {
        root.iteratorForAppenders().forEachRemaining(silenced::add);
        silenced.forEach(root::detachAppender);
        Appender<ILoggingEvent> all = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                logged.add(event);
            }
        };
        all.start();
        root.addAppender(all);
        root.setLevel(Level.TRACE);
    }

    @AfterEach
    void listenNoMore() {
        root.setLevel(usual);
        root.detachAndStopAllAppenders();
        silenced.forEach(root::addAppender);
    }

    /** The loggers that have logged the text, as it is or byte by byte. */
    private Set<String> loggersOf(String text) {
        String bytes = HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
        return logged.stream()
                .filter(event -> event.getFormattedMessage().contains(text)
                        || bytesIn(event.getFormattedMessage()).contains(bytes))
                .map(ILoggingEvent::getLoggerName)
                .collect(Collectors.toSet());
    }

    private static String bytesIn(String message) {
        return ROW_OF_BYTES
                .matcher(message)
                .results()
                .map(row -> row.group(1).replace(" ", ""))
                .collect(Collectors.joining());
    }

    @Test
    void withOurHttpClientAndSigner_nobodyLogsSecretsOrEvents() {
        request(TransportSettings.Implementation.VARVE);
        assertThat(logged).isNotEmpty();
        assertThat(loggersOf(KEY)).isEmpty();
        assertThat(loggersOf(TOKEN)).isEmpty();
        assertThat(loggersOf(EVENT)).isEmpty();
    }

    @Test
    void withTheSdksOwn_theSignerLogsTheSessionToken_andNettyAllBytes() {
        request(TransportSettings.Implementation.SDK);
        assertThat(loggersOf(KEY)).isEmpty();
        assertThat(loggersOf(TOKEN))
                .anyMatch(name -> name.startsWith(SIGNER))
                .anyMatch(name -> name.startsWith(WIRE))
                .allMatch(name -> name.startsWith(SIGNER) || name.startsWith(WIRE));
        assertThat(loggersOf(EVENT)).isNotEmpty().allMatch(name -> name.startsWith(WIRE));
    }

    @Test
    void thePage_namesTheseLoggers() throws Exception {
        assertThat(Files.readString(Path.of("..", "docs", "guide", "security.md")))
                .contains("`" + SIGNER + "`", "`" + WIRE + "`");
    }

    private void request(TransportSettings.Implementation implementation) {
        Config section = ConfigFactory.parseString("""
                region = eu-west-1, endpoint = "%s"
                credentials { access-key-id = id, secret-access-key = "%s", session-token = "%s" }
                http.implementation = %s
                """.formatted(dynamoDB.endpoint(), KEY, TOKEN, implementation))
                .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH))
                .resolve();
        ClientFactory.Built built = ClientFactory.build(ClientSettings.from(section, ClientSettings.PATH));
        try {
            built.client()
                    .createTable(request -> request.tableName(table)
                            .attributeDefinitions(a -> a.attributeName("k").attributeType(ScalarAttributeType.S))
                            .keySchema(k -> k.attributeName("k").keyType(KeyType.HASH))
                            .billingMode(BillingMode.PAY_PER_REQUEST))
                    .join();
            built.client()
                    .putItem(put -> put.tableName(table).item(Map.of("k", AttributeValue.fromS(EVENT))))
                    .join();
            built.client().scan(scan -> scan.tableName(table)).join();
        } finally {
            built.close();
        }
    }
}
