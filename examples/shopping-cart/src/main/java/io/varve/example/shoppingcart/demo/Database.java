package io.varve.example.shoppingcart.demo;

import com.typesafe.config.Config;
import io.varve.testkit.DynamoDBLocal;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where the tables are: in AWS, or in a DynamoDB Local that is started here. */
final class Database implements AutoCloseable {
    private final Optional<DynamoDBLocal> local;

    private Database(Optional<DynamoDBLocal> local) {
        this.local = local;
    }

    /** What the configuration asks for. */
    static Database open(Config config, Path folder) {
        String kind = config.getString("shopping-cart.dynamodb");
        return switch (kind) {
            case "local" ->
                new Database(Optional.of(DynamoDBLocal.inFolder(folder).endedByCaller()));
            case "aws" -> new Database(Optional.empty());
            default ->
                throw new DemoOptions.InvalidException(
                        "the setting shopping-cart.dynamodb must be local or aws, not '" + kind + "'");
        };
    }

    /** What it is, in words. */
    String description() {
        return local.isPresent() ? "DynamoDB Local" : "DynamoDB in AWS";
    }

    /** The settings with which a node finds it; for AWS the configuration has all that is needed. */
    Map<String, Object> settings() {
        return local.<Map<String, Object>>map(server -> Map.of(
                        "pekko.persistence.dynamodb.client.local.enabled", true,
                        "pekko.persistence.dynamodb.client.local.host",
                                server.endpoint().getHost(),
                        "pekko.persistence.dynamodb.client.local.port",
                                server.endpoint().getPort()))
                .orElse(Map.of());
    }

    @Override
    public void close() {
        local.ifPresent(DynamoDBLocal::close);
    }
}
