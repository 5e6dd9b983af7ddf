package io.varve.interop;

import io.varve.interop.peer.JournalDriver;
import io.varve.interop.peer.LocalJournalDriver;

/** Whose journal a node runs; the config keys are the same for both. */
enum Side {
    PREDECESSOR {
        @Override
        JournalDriver open(JournalTable table, NodeOptions options) {
            return PeerJournalDriver.open(PeerProcess.shared(), config(table, options));
        }

        @Override
        JournalDriver open(SnapshotTable table) {
            return PeerJournalDriver.open(PeerProcess.shared(), config(table));
        }
    },
    VARVE {
        @Override
        JournalDriver open(JournalTable table, NodeOptions options) {
            return LocalJournalDriver.open("""
                    pekko.loggers = ["org.apache.pekko.event.slf4j.Slf4jLogger"]
                    pekko.logging-filter = "org.apache.pekko.event.slf4j.Slf4jLoggingFilter"
                    dynamodb-journal.slice-index.enabled = %s
                    """.formatted(table.hasSliceIndex()) + config(table, options));
        }

        @Override
        JournalDriver open(SnapshotTable table) {
            return LocalJournalDriver.open("""
                    pekko.loggers = ["org.apache.pekko.event.slf4j.Slf4jLogger"]
                    pekko.logging-filter = "org.apache.pekko.event.slf4j.Slf4jLoggingFilter"
                    """ + config(table));
        }
    };

    /** Starts a node that has only snapshots. */
    abstract JournalDriver open(SnapshotTable table);

    /** Starts a node on the table. */
    abstract JournalDriver open(JournalTable table, NodeOptions options);

    JournalDriver open(JournalTable table) {
        return open(table, NodeOptions.DEFAULT);
    }

    Side other() {
        return this == VARVE ? PREDECESSOR : VARVE;
    }

    private static String config(SnapshotTable table) {
        return """
                pekko.loglevel = WARNING
                pekko.stdout-loglevel = OFF
                pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
                dynamodb-snapshot-store {
                  snapshot-table = "%s"
                  endpoint = "%s"
                  aws-access-key-id = dummy
                  aws-secret-access-key = dummy
                }
                """.formatted(table.name(), table.endpoint());
    }

    private static String config(JournalTable table, NodeOptions options) {
        return """
                pekko.loglevel = WARNING
                pekko.stdout-loglevel = OFF
                pekko.log-dead-letters = off
                pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
                pekko.persistence.journal.plugin = dynamodb-journal
                dynamodb-journal {
                  journal-table = "%s"
                  journal-name = "%s"
                  endpoint = "%s"
                  aws-access-key-id = dummy
                  aws-secret-access-key = dummy
                  sequence-shards = 10
                  fixes.high-distrust = %s
                }
                """.formatted(table.name(), options.journalName(), table.endpoint(), options.highDistrust());
    }
}
