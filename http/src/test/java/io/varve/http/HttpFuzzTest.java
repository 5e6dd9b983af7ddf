package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.varve.http.Misbehaviour.Answered;
import io.varve.http.ScriptedConnection.Script;
import io.varve.http.TestExchange.Received;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/**
 * A server that misbehaves in every way: each request ends once, with its own whole answer or with an error, and neither a connection
 * nor a buffer is left over. The same seed gives the same answers; {@code varve.fuzz.seed} and {@code varve.fuzz.exchanges} choose others and
 * more.
 */
class HttpFuzzTest {
    static final int MOST = 100_000;

    private static final long SEED = Long.getLong("varve.fuzz.seed", 13);
    private static final int EXCHANGES = Integer.getInteger("varve.fuzz.exchanges", 20_000);
    private static final int LEAST = 1_000; // so that everything is played
    private static final int AT_ONCE = 24;
    private static final int CONNECTIONS = 8;
    private static final int LIFE_OF_A_CLIENT = 1_500;
    private static final HttpSettings SETTINGS = HttpClientFixture.settings(http -> http.maxConcurrency(CONNECTIONS)
            .maxAnswerSize(MOST)
            .readTimeout(Duration.ofSeconds(20))
            .answerTimeout(Duration.ofSeconds(20)));

    private final EventLoopGroup threads = new NioEventLoopGroup(1, new DefaultThreadFactory("fuzz", true));
    private final ExecutorService answers = Executors.newFixedThreadPool(1, new DefaultThreadFactory("fuzz", true));
    private final Map<Misbehaviour, Integer> succeeded = new EnumMap<>(Misbehaviour.class);
    private final Map<Misbehaviour, Integer> failed = new EnumMap<>(Misbehaviour.class);
    private final Random chance = new Random(SEED);

    @RegisterExtension
    final BufferLeaks leaks = new BufferLeaks();

    private record Sent(int number, TestExchange exchange) {}

    private static Script hostile() {
        return Script.each((request, connection) -> {
            int number = Integer.parseInt(request.target().substring(1));
            Misbehaviour.of(SEED, number).play(new Answered(SEED, number), connection);
        });
    }

    @Test
    void everyRequest_endsOnceWithItsOwnWholeAnswerOrAnError() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(hostile())) {
            fuzz(server, Optional.empty(), Math.max(LEAST, EXCHANGES));
        }
    }

    @Test
    void everyRequestOverTls_endsOnceWithItsOwnWholeAnswerOrAnError() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        try (ScriptedServer server = ScriptedServer.startTls(certificate.server(), hostile())) {
            fuzz(server, Optional.of(certificate.trust()), Math.max(LEAST, EXCHANGES / 20));
        }
    }

    private void fuzz(ScriptedServer server, Optional<TlsTrustManagersProvider> trust, int exchanges) throws Exception {
        try {
            for (int from = 0; from < exchanges; from += LIFE_OF_A_CLIENT) {
                oneClient(server, trust, from, Math.min(exchanges, from + LIFE_OF_A_CLIENT));
            }
            for (ScriptedConnection connection : server.connections()) {
                assertThat(connection.awaitEnd())
                        .as("a connection is left over")
                        .isTrue();
            }
            for (Misbehaviour each : Misbehaviour.values()) {
                int good = succeeded.getOrDefault(each, 0);
                assertThat(good + failed.getOrDefault(each, 0))
                        .as(each + " was played")
                        .isPositive();
                assertThat(good > 0).as(each + " has succeeded").isEqualTo(!each.mustFail());
            }
        } finally {
            threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            answers.shutdown();
        }
        assertThat(leaks.reported()).isEmpty();
    }

    /** The client is closed with requests under way. */
    private void oneClient(ScriptedServer server, Optional<TlsTrustManagersProvider> trust, int from, int to)
            throws Exception {
        Deque<Sent> underWay = new ArrayDeque<>();
        try (SdkAsyncHttpClient client = ClientUnderTest.varve(SETTINGS, trust, answers, threads)) {
            for (int number = from; number < to; number++) {
                underWay.add(send(client, server, number));
                if (chance.nextInt(25) == 0) {
                    cancel(underWay.stream()
                            .skip(chance.nextInt(underWay.size()))
                            .findFirst()
                            .orElseThrow());
                }
                if (underWay.size() > AT_ONCE) {
                    check(underWay.remove());
                }
            }
        }
        while (!underWay.isEmpty()) {
            check(underWay.remove());
        }
    }

    private Sent send(SdkAsyncHttpClient client, ScriptedServer server, int number) {
        TestExchange exchange = new TestExchange();
        exchange.returned(client.execute(AsyncExecuteRequest.builder()
                .request(HttpClientFixture.get(server.address(), "/" + number).build())
                .requestContentPublisher(TestBodies.of())
                .responseHandler(exchange)
                .build()));
        return new Sent(number, exchange);
    }

    /** One that was just sent, or one whose answer is on its way. */
    private static void cancel(Sent sent) {
        sent.exchange().ignoreErrors();
        sent.exchange().future().cancel(true);
    }

    private void check(Sent sent) throws Exception {
        Misbehaviour played = Misbehaviour.of(SEED, sent.number());
        String what = played + " of request " + sent.number() + " with seed " + SEED;
        try {
            sent.exchange().future().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | CancellationException e) {
            failed.merge(played, 1, Integer::sum);
            sent.exchange().checkErrors();
            return;
        }
        Received received = sent.exchange().answer();
        assertThat(received.body()).as(what).isEqualTo(new Answered(SEED, sent.number()).body());
        assertThat(received.head().firstMatchingHeader("X-Forged")).as(what).isEmpty();
        succeeded.merge(played, 1, Integer::sum);
    }
}
