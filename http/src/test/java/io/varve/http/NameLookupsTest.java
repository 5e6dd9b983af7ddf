package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.varve.http.ScriptedConnection.Script;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** A name that does not resolve for a while, as in an outage of DNS. */
class NameLookupsTest extends HttpClientFixture {
    private static final String NAME = "dynamodb.varve.test";
    private static final Duration KEEP = Duration.ofHours(1);
    private static final Duration NOT_LATE = Duration.ofDays(1);

    private final Logger logger = (Logger) LoggerFactory.getLogger(NameLookups.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Map<String, List<String>> dns = new ConcurrentHashMap<>();
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // it may overflow

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(log);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Override
    SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust) {
        return ClientUnderTest.varveWithNames(settings, trust, this::lookUp);
    }

    private InetAddress[] lookUp(String name) throws UnknownHostException {
        List<InetAddress> addresses = new ArrayList<>();
        for (String address : dns.getOrDefault(name, List.of())) {
            addresses.add(InetAddress.getByName(address));
        }
        if (addresses.isEmpty()) {
            throw new UnknownHostException(name + ": no records");
        }
        return addresses.toArray(InetAddress[]::new);
    }

    private NameLookups lookups(Duration keep) {
        return new NameLookups(Runnable::run, this::lookUp, keep, NOT_LATE, now::get);
    }

    private static Future<InetSocketAddress> start(NameLookups lookups) throws Exception {
        EventLoop connections = ClientUnderTest.THREADS.next();
        return connections
                .submit(() -> lookups.getResolver(connections).resolve(InetSocketAddress.createUnresolved(NAME, 443)))
                .get(10, TimeUnit.SECONDS);
    }

    private static String resolve(NameLookups lookups) throws Exception {
        return start(lookups).get(10, TimeUnit.SECONDS).getAddress().getHostAddress();
    }

    private List<String> logged() {
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    private void after(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void names_areNotLookedUpOnTheThreadsOfConnections() throws Exception {
        dns.put(NAME, List.of("127.0.0.1"));
        List<Runnable> waiting = new CopyOnWriteArrayList<>();
        Future<InetSocketAddress> address =
                start(new NameLookups(waiting::add, this::lookUp, KEEP, NOT_LATE, now::get));
        assertThat(address.isDone()).isFalse();
        assertThat(waiting).hasSize(1);
        waiting.get(0).run();
        assertThat(address.get(10, TimeUnit.SECONDS).isUnresolved()).isFalse();
    }

    @Test
    void nameThatNoLongerResolves_hasTheAddressesItHadLast_inTurn() throws Exception {
        NameLookups lookups = lookups(KEEP);
        dns.put(NAME, List.of("127.0.0.9"));
        resolve(lookups);
        dns.put(NAME, List.of("127.0.0.1", "127.0.0.2"));
        assertThat(resolve(lookups)).isEqualTo("127.0.0.1");

        dns.remove(NAME);
        after(KEEP);

        assertThat(List.of(resolve(lookups), resolve(lookups), resolve(lookups)))
                .containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.1");
    }

    @Test
    void addressesThatAreTooOld_areNotUsed_andTheErrorSaysSo() throws Exception {
        NameLookups lookups = lookups(KEEP);
        dns.put(NAME, List.of("127.0.0.1"));
        resolve(lookups);

        dns.remove(NAME);
        after(KEEP.plusNanos(1));

        assertThatThrownBy(() -> resolve(lookups))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(UnknownHostException.class)
                .hasMessage(
                        "The name dynamodb.varve.test does not resolve (dynamodb.varve.test: no records), and its last"
                                + " addresses are older than 3600 s (http.keep-addresses)")
                .hasCauseInstanceOf(UnknownHostException.class);
    }

    @Test
    void nameThatResolvesAgain_hasItsNewAddresses() throws Exception {
        NameLookups lookups = lookups(KEEP);
        dns.put(NAME, List.of("127.0.0.1"));
        resolve(lookups);
        dns.remove(NAME);
        resolve(lookups);

        dns.put(NAME, List.of("127.0.0.2"));
        assertThat(resolve(lookups)).isEqualTo("127.0.0.2");
        after(KEEP);
        dns.remove(NAME);
        assertThat(resolve(lookups)).isEqualTo("127.0.0.2"); // as old as these are, not the first ones
    }

    @Test
    void outage_isLoggedOnce_andSoIsItsEnd() throws Exception {
        NameLookups lookups = lookups(KEEP);
        dns.put(NAME, List.of("127.0.0.1"));
        resolve(lookups);
        dns.remove(NAME);
        after(Duration.ofMinutes(2));
        resolve(lookups);
        resolve(lookups);
        String begin =
                "WARN The name dynamodb.varve.test does not resolve (dynamodb.varve.test: no records). New connections"
                        + " use the addresses that it had 120 s ago, until they are 3600 s old (http.keep-addresses).";
        assertThat(logged()).containsExactly(begin);

        dns.put(NAME, List.of("127.0.0.1"));
        resolve(lookups);
        resolve(lookups);
        String end = "INFO The name dynamodb.varve.test resolves again.";
        assertThat(logged()).containsExactly(begin, end);

        dns.remove(NAME);
        after(Duration.ofMinutes(2));
        resolve(lookups);
        assertThat(logged()).containsExactly(begin, end, begin);
    }

    @Test
    void nameThatNeverResolved_fails() {
        assertThatThrownBy(() -> resolve(lookups(KEEP)))
                .cause()
                .isInstanceOf(UnknownHostException.class)
                .hasMessage("dynamodb.varve.test: no records");
        assertThat(logged()).isEmpty();
    }

    @Test
    void withoutKeeping_aNameThatNoLongerResolvesFails() throws Exception {
        NameLookups lookups = lookups(Duration.ZERO);
        dns.put(NAME, List.of("127.0.0.1"));
        resolve(lookups);
        dns.remove(NAME);
        assertThatThrownBy(() -> resolve(lookups)).hasMessageContaining("no records");
        assertThat(logged()).isEmpty();
    }

    @Test
    void lookupWithoutAnswer_isNotWaitedFor_whereAddressesAreKnown() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        List<String> asked = new CopyOnWriteArrayList<>();
        Executor thread = task -> new Thread(task, "lookup").start();
        NameLookups lookups = new NameLookups(
                thread,
                name -> {
                    asked.add(name);
                    if (asked.size() == 2) {
                        awaited(answer);
                        return new InetAddress[] {InetAddress.getByName("127.0.0.2")};
                    }
                    return lookUp(name);
                },
                KEEP,
                Duration.ofMillis(1),
                now::get);
        dns.put(NAME, List.of("127.0.0.1"));
        resolve(lookups);

        assertThat(resolve(lookups)).isEqualTo("127.0.0.1");
        assertThat(logged().get(0))
                .startsWith("WARN The name dynamodb.varve.test does not resolve (no answer within 1 ms).");

        answer.countDown();
        Eventually.until(() -> logged().size() == 2);
        dns.remove(NAME);
        assertThat(resolve(lookups)).isEqualTo("127.0.0.2"); // the late answer counts
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static URI named(ScriptedServer server) {
        return URI.create(server.address().getScheme() + "://" + NAME + ":"
                + server.address().getPort());
    }

    private TestExchange ask(SdkAsyncHttpClient client, ScriptedServer server, String path) {
        return send(client, get(named(server), path), TestBodies.of(), new TestExchange());
    }

    @Test
    void inAnOutage_openConnectionsGoOn_andNewOnesAreMade() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        ScriptedServer server = server(Script.each((request, connection) -> {
            if (request.target().equals("/both")) {
                both.countDown();
                both.await();
            }
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = open(http -> http.maxConcurrency(2).keepAddresses(KEEP));
        dns.put(NAME, List.of(local()));
        ask(client, server, "/before").answer();

        dns.remove(NAME);
        assertThat(ask(client, server, "/open").answer().body()).isEqualTo("/open");
        TestExchange one = ask(client, server, "/both"); // each waits for the other: two connections
        TestExchange other = ask(client, server, "/both");
        assertThat(one.answer().body()).isEqualTo("/both");
        assertThat(other.answer().body()).isEqualTo("/both");
        assertThat(server.connections()).hasSizeGreaterThan(1);
    }

    @Test
    void inAnOutage_tlsChecksTheNameAndNotTheAddress() throws Exception {
        TestCertificate certificate = TestCertificate.of(NAME);
        ScriptedServer right = tlsServer(certificate, closing());
        SdkAsyncHttpClient client = open(certificate, http -> http.keepAddresses(KEEP));
        dns.put(NAME, List.of(local()));
        ask(client, right, "/before").answer();
        dns.remove(NAME);
        assertThat(ask(client, right, "/new").answer().body()).isEqualTo("/new");

        TestCertificate another = TestCertificate.of("localhost"); // whoever has the old address now
        ScriptedServer wrong = tlsServer(another, closing());
        SdkAsyncHttpClient trusting = open(another, http -> http.keepAddresses(KEEP));
        dns.put(NAME, List.of(local()));
        for (int i = 0; i < 2; i++) { // with the name, and without
            assertThat(causes(ask(trusting, wrong, "/secret").failure())).anyMatch(SSLException.class::isInstance);
            dns.remove(NAME);
        }
        assertThat(wrong.requests()).isEmpty();
    }

    /** Each request needs a connection of its own. */
    private static Script closing() {
        return Script.each((request, connection) -> {
            String path = request.target();
            connection.send(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + path.length() + "\r\n\r\n" + path);
            connection.close();
        });
    }

    private static String local() throws UnknownHostException {
        return InetAddress.getByName("localhost").getHostAddress();
    }
}
