package io.varve.example.shoppingcart.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The three lines of the guide that make it AWS. */
@DynamoDBTest
class AwsTest {
    private static final Path GUIDE = Path.of("../../docs/guide/getting-started.md");
    private static final Path CONFIGURATION = Path.of("src/main/resources/application.conf");

    @TempDir
    Path folder;

    private static List<String> threeLines() throws Exception {
        Matcher block = Pattern.compile("```hocon\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(GUIDE));
        assertThat(block.find()).isTrue();
        return String.valueOf(block.group(1)).lines().toList();
    }

    private static Config onAws() throws Exception {
        return ConfigFactory.parseString(String.join("\n", threeLines())).withFallback(ConfigFactory.load());
    }

    @Test
    void threeLines_replaceThoseAtTheTop() throws Exception {
        List<String> there = Files.readAllLines(CONFIGURATION).subList(1, 4);
        assertThat(threeLines())
                .hasSize(3)
                .extracting(line -> line.split(" = ", -1)[0])
                .isEqualTo(there.stream().map(line -> line.split(" = ", -1)[0]).toList());
    }

    @Test
    void onAws_noDynamoDBLocalIsStarted_andNothingPointsToOne() throws Exception {
        try (Database database = Database.open(onAws(), folder)) {
            assertThat(database.settings()).isEmpty();
            assertThat(database.description()).contains("AWS");
        }
        assertThat(folder).isEmptyDirectory();
        Config client = onAws().getConfig("pekko.persistence.dynamodb.client");
        assertThat(client.getString("region")).isEqualTo("eu-central-1");
        assertThat(client.getString("endpoint")).isEmpty();
        assertThat(client.getString("credentials.access-key-id")).isEmpty();
        assertThat(client.getBoolean("local.enabled")).isFalse();
    }

    /** AWS is played by a DynamoDB Local, whose address and keys are all that is added. */
    @Test
    void onAws_theServiceCreatesItsTablesAndWorks(DynamoDBLocal aws, DynamoDbAsyncClient client) throws Exception {
        Config config = ConfigFactory.parseString("""
                        pekko.persistence.dynamodb.client.endpoint = "%s"
                        pekko.persistence.dynamodb.client.credentials { access-key-id = "key", secret-access-key = "secret" }
                        """.formatted(aws.endpoint())).withFallback(onAws());
        try (ShopNode node = ShopNode.start(config)) {
            URI address = node.listen(0).toCompletableFuture().join();
            assertThat(new Api(address).add("mine", "apple", 2).status()).isEqualTo(200);
        }
        assertThat(client.listTables().join().tableNames())
                .contains(
                        "shopping-cart-journal",
                        "shopping-cart-snapshots",
                        "shopping-cart-offsets",
                        "shopping-cart-popular-items");
    }

    @Test
    void otherPlaces_areRefused() {
        Config config = ConfigFactory.parseString("shopping-cart.dynamodb = azure");
        assertThatThrownBy(() -> Database.open(config, folder))
                .isInstanceOf(DemoOptions.InvalidException.class)
                .hasMessageContaining("shopping-cart.dynamodb must be local or aws, not 'azure'");
    }
}
