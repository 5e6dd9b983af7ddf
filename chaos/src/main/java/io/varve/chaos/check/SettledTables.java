package io.varve.chaos.check;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The tables when nobody changes them any more: a read of several tables is no snapshot, and a late delete could look like a loss. */
public final class SettledTables {
    private SettledTables() {}

    /**
     * Reads until all projections are done and two reads are the same; after that time, what there is: the check then says what is
     * missing.
     */
    public static List<StoredAccount> read(Supplier<DynamoDbAsyncClient> clients, Duration interval, Duration limit)
            throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        try (DynamoDbAsyncClient client = clients.get()) {
            List<StoredAccount> before = List.of();
            List<StoredAccount> accounts = List.copyOf(TableReader.read(client));
            while (!(BankCheck.isComplete(accounts) && accounts.equals(before)) && System.nanoTime() - end < 0) {
                Thread.sleep(interval.toMillis());
                before = accounts;
                accounts = List.copyOf(TableReader.read(client));
            }
            return accounts;
        }
    }
}
