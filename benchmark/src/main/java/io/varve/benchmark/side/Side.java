package io.varve.benchmark.side;

import io.varve.benchmark.driver.DriverMain;
import io.varve.benchmark.sdk.SdkMain;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;

/** What is compared, with its settings: all else is default. */
public enum Side {
    VARVE("varve", "Varve", DriverMain.class, ""),
    NO_INDEX("no-index", "Varve, index off", DriverMain.class, "dynamodb-journal.slice-index.enabled = off"),
    MARKED(
            "marked",
            "Varve, index off, marked",
            DriverMain.class,
            "dynamodb-journal { slice-index.enabled = off, atomic-writes = marked }"),
    UNJOINED(
            "unjoined",
            "Varve, index off, unjoined",
            DriverMain.class,
            "dynamodb-journal { slice-index.enabled = off, join-writes-from = off }"),
    SDK_HTTP("sdk-http", "Varve, index off, SDK's HTTP client", DriverMain.class, """
            dynamodb-journal.slice-index.enabled = off
            pekko.persistence.dynamodb.client.http.implementation = sdk"""),
    OTHER("other", "Varve, another checkout", DriverMain.class, ""),
    PEER("peer", "predecessor", DriverMain.class, ""),
    SDK("sdk", "bare SDK client", SdkMain.class, "");

    private final String word;
    private final String title;
    private final Class<?> main;
    private final String settings;

    Side(String word, String title, Class<?> main, String settings) {
        this.word = word;
        this.title = title;
        this.main = main;
        this.settings = settings;
    }

    /** As on the command line and in JSON. */
    public String word() {
        return word;
    }

    /** As in tables. */
    public String title() {
        return title;
    }

    Class<?> main() {
        return main;
    }

    /** @param other the folder of another checkout, for {@link #OTHER} */
    String classPath(String other) {
        return switch (this) {
            case PEER -> ChildJvm.peerClassPath();
            case OTHER -> ChildJvm.otherClassPath(Path.of(other));
            default -> ChildJvm.ownClassPath();
        };
    }

    /** The configuration of a node on these tables. */
    String config(Tables tables) {
        return """
                benchmark { endpoint = "%1$s", table = "%2$s", payload-bytes = %4$d }
                pekko.loglevel = WARNING
                pekko.log-dead-letters = off
                pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
                pekko.persistence.journal.plugin = dynamodb-journal
                dynamodb-journal { journal-table = "%2$s" }
                dynamodb-snapshot-store { snapshot-table = "%3$s" }
                dynamodb-journal { endpoint = "%1$s", aws-access-key-id = dummy, aws-secret-access-key = dummy }
                dynamodb-snapshot-store { endpoint = "%1$s", aws-access-key-id = dummy, aws-secret-access-key = dummy }
                """.formatted(tables.endpoint(), tables.journal(), tables.snapshots(), PAYLOAD_BYTES)
                + (this == PEER ? peerReadJournal(tables) : settings);
    }

    /** Its read journal does not take table and client from the journal. */
    private static String peerReadJournal(Tables tables) {
        return """
                dynamodb-read-journal {
                  journal-table = "%2$s"
                  endpoint = "%1$s"
                  aws-access-key-id = dummy
                  aws-secret-access-key = dummy
                }
                """.formatted(tables.endpoint(), tables.journal());
    }

    /** The tables of a side that has some. */
    public static Tables tables(Map<Side, Tables> all, Side side) {
        Tables tables = all.get(side);
        if (tables == null) {
            throw new IllegalArgumentException("There are no tables of " + side);
        }
        return tables;
    }

    /** The bytes of an event. */
    static final int PAYLOAD_BYTES = 200;

    /** Where a node finds its tables. */
    public record Tables(URI endpoint, String journal, String snapshots) {}
}
