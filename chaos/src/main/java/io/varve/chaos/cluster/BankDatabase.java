package io.varve.chaos.cluster;

import io.varve.testkit.DynamoDBLocal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** The DynamoDB, with its tables in a folder: it can be killed and started again, and is always found under the same address. */
public final class BankDatabase implements AutoCloseable {
    private final Path folder;
    private final TcpLink link = new TcpLink();
    private DynamoDBLocal server;

    /** Starts it. */
    public BankDatabase(Path folder) {
        this.folder = folder;
        this.server = start();
    }

    private DynamoDBLocal start() {
        DynamoDBLocal started = DynamoDBLocal.inFolder(folder);
        link.leadTo(new InetSocketAddress(
                started.endpoint().getHost(), started.endpoint().getPort()));
        return started;
    }

    /** Where it is, also after a restart. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + link.port());
    }

    /** Where it is without detours, until it is restarted. */
    public synchronized int port() {
        return server.endpoint().getPort();
    }

    /** A client of its own for each run of the server, without detours. */
    public synchronized DynamoDbAsyncClient client() {
        return server.client();
    }

    /** Creates the table of the read models; those of Varve are created by the first node. */
    public void createModelTable() {
        try (DynamoDbAsyncClient client = client()) {
            client.createTable(table -> table.tableName("bank-models")
                            .billingMode(BillingMode.PAY_PER_REQUEST)
                            .attributeDefinitions(AttributeDefinition.builder()
                                    .attributeName("id")
                                    .attributeType(ScalarAttributeType.S)
                                    .build())
                            .keySchema(KeySchemaElement.builder()
                                    .attributeName("id")
                                    .keyType(KeyType.HASH)
                                    .build()))
                    .join();
        }
    }

    /** Ends it as a crash would. */
    public synchronized void kill() {
        server.kill();
    }

    /** Starts it again after it was killed. */
    public synchronized void restart() {
        if (!server.isRunning()) {
            server = start();
        }
    }

    @Override
    public synchronized void close() {
        server.close();
        link.close();
    }
}
