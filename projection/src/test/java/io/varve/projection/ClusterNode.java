package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.cluster.typed.Leave;
import org.apache.pekko.persistence.query.PersistenceQuery;
import scala.jdk.javaapi.CollectionConverters;

/** A node of a cluster in this JVM, whose clock can be wrong. Everything happens quickly. */
final class ClusterNode implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private final ActorSystem<SpawnProtocol.Command> system;

    /** The tables that all nodes share. */
    record SharedTables(String journal, String offsets, String target) {}

    ClusterNode(URI endpoint, SharedTables tables, InstantSource clock, String more) {
        this.system = ActorSystem.create(SpawnProtocol.create(), "cluster", config(endpoint, tables, more));
        DynamoDBClients.get(system).useClock(clock);
    }

    private static Config config(URI endpoint, SharedTables tables, String more) {
        return ConfigFactory.parseString(more)
                .withFallback(ConfigFactory.parseString(
                        """
                        pekko {
                          loglevel = OFF
                          stdout-loglevel = OFF
                          actor.provider = cluster
                          remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = 0 } }
                          coordinated-shutdown {
                            run-by-jvm-shutdown-hook = off
                            run-by-actor-system-terminate = off
                          }
                          cluster {
                            jmx.enabled = off
                            gossip-interval = 100 ms
                            leader-actions-interval = 100 ms
                            periodic-tasks-initial-delay = 100 ms
                            failure-detector.acceptable-heartbeat-pause = 30 s
                            typed.receptionist.distributed-data.gossip-interval = 100 ms
                            distributed-data { gossip-interval = 100 ms, notify-subscribers-interval = 50 ms }
                            singleton.hand-over-retry-interval = 200 ms
                            sharding {
                              retry-interval = 200 ms
                              rebalance-interval = 500 ms
                              coordinator-failure-backoff = 500 ms
                              distributed-data { gossip-interval = 100 ms, notify-subscribers-interval = 50 ms }
                              coordinator-singleton.hand-over-retry-interval = 200 ms
                            }
                            sharded-daemon-process.keep-alive-interval = 300 ms
                          }
                          persistence.journal.plugin = "dynamodb-journal"
                          persistence.snapshot-store.plugin = "pekko.persistence.no-snapshot-store"
                          persistence.dynamodb.client {
                            local { enabled = on, host = "%s", port = %d }
                            operation-timeout = 50 s
                            request-timeout = 10 s
                          }
                          projection.dynamodb.offset-store {
                            timestamp-offset-table = "%s"
                            slice-flush-interval = 100 ms
                            retries { min-backoff = 20 ms, max-backoff = 100 ms }
                          }
                          projection.at-least-once.save-offset-after-duration = 50 ms
                          projection.grouped { group-after-envelopes = 10, group-after-duration = 50 ms }
                          projection.restart-backoff { min-backoff = 50 ms, max-backoff = 100 ms }
                        }
                        dynamodb-journal {
                          journal-table = "%s"
                          slice-index.shards = 4
                          circuit-breaker.call-timeout = 60 s
                        }
                        dynamodb-read-journal {
                          refresh-interval = 300 ms
                          parallelism = 2
                          backtracking { behind-current-time = 1 s, window = 20 s }
                          sweep { interval = 1 s, window = 20 s }
                        }
                        """.formatted(endpoint.getHost(), endpoint.getPort(), tables.offsets(), tables.journal())))
                .withFallback(ConfigFactory.load())
                .resolve();
    }

    ActorSystem<SpawnProtocol.Command> system() {
        return system;
    }

    Cluster cluster() {
        return Cluster.get(system);
    }

    DynamoDBReadJournal journal() {
        return PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    void join(ClusterNode other) {
        cluster().manager().tell(Join.create(other.cluster().selfMember().address()));
    }

    void awaitMembers(int count) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                CollectionConverters.asJava(cluster().state().members()))
                        .hasSize(count)
                        .allSatisfy(member -> assertThat(member.status()).isEqualTo(MemberStatus.up())));
    }

    /** Leaves the cluster in good order, and ends. */
    void leave() {
        cluster().manager().tell(Leave.create(cluster().selfMember().address()));
        await().atMost(PATIENCE)
                .until(() -> system.getWhenTerminated().toCompletableFuture().isDone());
    }

    <T> ActorRef<T> spawn(Behavior<T> behavior) {
        return AskPattern.<SpawnProtocol.Command, ActorRef<T>>ask(
                        system,
                        replyTo -> new SpawnProtocol.Spawn<>(behavior, "", Props.empty(), replyTo),
                        PATIENCE,
                        system.scheduler())
                .toCompletableFuture()
                .join();
    }

    @Override
    public void close() {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }
}
