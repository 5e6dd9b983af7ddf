package io.varve.example.shoppingcart.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.example.shoppingcart.demo.Api.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The service of one node, by its HTTP API. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ServiceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Config STRICT = ConfigFactory.parseString(
                    "shopping-cart.http { body-timeout = 500 ms, event-streams = 2 }")
            .withFallback(ConfigFactory.load());

    @TempDir
    private static Path folder;

    private static Demo demo;
    private static Api api;

    @BeforeAll
    static void start() throws Exception {
        demo = start(STRICT, new ByteArrayOutputStream(), "--port", "0");
        api = new Api(demo.addresses().get(0));
    }

    private static Demo start(Config config, OutputStream printed, String... options) throws Exception {
        List<String> all = Stream.concat(Stream.of("--data", folder.toString()), Stream.of(options))
                .toList();
        return Demo.start(DemoOptions.parse(all), config, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterAll
    static void end() throws Exception {
        demo.close();
    }

    private static List<String> mailsTo(String cart) throws IOException {
        Path file = folder.resolve("order-mails.txt");
        return Files.exists(file)
                ? Files.readAllLines(file).stream()
                        .map(line -> line.substring(line.indexOf("order ")))
                        .filter(mail -> mail.startsWith("order " + cart + "/"))
                        .toList()
                : List.of();
    }

    private static int popular(String item) {
        return popular(item, "");
    }

    private static int popular(String item, String after) {
        for (JsonNode row : api.get("popular" + after).body()) {
            if (row.path("item").asText().equals(item)) {
                return row.path("quantity").asInt();
            }
        }
        return 0;
    }

    @Test
    @Order(1)
    void carts_areKept_countedAndMailed_alsoAfterARestart() throws Exception {
        assertThat(api.add("mine", "apple", 2).body())
                .hasToString("{\"id\":\"mine\",\"items\":{\"apple\":2},\"orders\":0,\"events\":1}");
        api.add("mine", "pear", 1);
        api.send("DELETE", "carts/mine/items/pear", Optional.empty());
        assertThat(api.post("carts/mine/checkout").body())
                .hasToString("{\"id\":\"mine\",\"items\":{},\"orders\":1,\"events\":4}");
        api.add("yours", "apple", 1);
        await().atMost(PATIENCE).until(() -> popular("apple") == 3 && popular("pear") == 1);
        await().atMost(PATIENCE).until(() -> mailsTo("mine").equals(List.of("order mine/1.")));
        await().atMost(PATIENCE) // the lag is known when the first place is stored
                .untilAsserted(() -> assertThat(api.text("metrics"))
                        .contains("varve_dynamodb_requests_seconds_count{operation=\"PutItem\",outcome=\"success\"")
                        .contains("varve_projection_processed_total{key=")
                        .contains("varve_projection_lag_seconds{key="));

        demo.close();
        start();

        assertThat(api.get("carts/mine").body())
                .hasToString("{\"id\":\"mine\",\"items\":{},\"orders\":1,\"events\":4}");
        api.add("mine", "apple", 4);
        await().atMost(PATIENCE).until(() -> popular("apple") == 7);
        assertThat(mailsTo("mine")).containsExactly("order mine/1.");
        JsonNode first = api.get("carts?limit=1").body();
        assertThat(first).hasSize(1);
        assertThat(api.get("carts?after=" + first.path(0).path("id").asText()).body())
                .isNotEmpty()
                .doesNotContain(first.path(0));
    }

    @Test
    @Order(2)
    void projections_pauseResumeAndRewind() throws Exception {
        api.add("rewound", "tea", 2);
        api.post("carts/rewound/checkout");
        await().atMost(PATIENCE).until(() -> popular("tea") == 2 && api.waiting("popular-items") == 0);

        assertThat(api.post("projections/popular-items/pause").status()).isEqualTo(200);
        assertThat(api.projection("popular-items").path("instances"))
                .hasSize(4)
                .allSatisfy(instance ->
                        assertThat(instance.path("paused").asBoolean()).isTrue());
        api.add("rewound", "tea", 5);
        await().atMost(PATIENCE).until(() -> api.waiting("popular-items") == 1);
        assertThat(popular("tea")).isEqualTo(2);

        assertThat(api.post("projections/popular-items/resume").status()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> popular("tea") == 7 && api.waiting("popular-items") == 0);

        assertThat(api.post("projections/popular-items/rewind").status()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> api.waiting("popular-items") == 0);
        assertThat(popular("tea")).isEqualTo(7);

        await().atMost(PATIENCE).until(() -> mailsTo("rewound").size() == 1);
        assertThat(api.post("projections/order-mails/rewind").status()).isEqualTo(200);
        await().atMost(PATIENCE)
                .until(() -> mailsTo("rewound").equals(List.of("order rewound/1.", "order rewound/1.")));
    }

    @Test
    void viewOfACart_reflectsWhatWasJustWritten() {
        api.add("viewed", "pear", 2);
        long events = api.add("viewed", "plum", 3).body().path("events").asLong();
        JsonNode view = api.get("carts/viewed/view?events=" + events).body();
        assertThat(view.path("items").path("pear").asInt()).isEqualTo(2);
        assertThat(view.path("items").path("plum").asInt()).isEqualTo(3);
        assertProblem(api.get("carts/nobody/view"), 404, "no view of a cart 'nobody'");
    }

    @Test
    void readAfterAWrite_waitsForTheProjection() {
        for (int i = 1; i <= 5; i++) {
            int events = api.add("waiting", "damson", 3).body().path("events").asInt();
            assertThat(events).isEqualTo(i);
            assertThat(popular("damson", "?cart=waiting&events=" + events + "&wait=30s"))
                    .isEqualTo(3 * i);
        }
        assertProblem(
                api.get("popular?cart=waiting&events=99&wait=0s"),
                503,
                "has not processed event 99 of 'ShoppingCart|waiting' within 0 ms: it is at event 5");
        assertProblem(api.get("popular?cart=waiting&wait=2s"), 400, "give all of 'cart', 'events'");
        assertProblem(api.get("popular?cart=waiting&events=1&wait=soon"), 400, "'wait' must be from 0s to 30s");
    }

    @Test
    void cartThatCannotBeCounted_isParked_skippedAndGivenUp() {
        api.add("sick", "poison", 1);
        api.add("sick", "grape", 2);
        api.add("healthy", "grape", 3);
        await().atMost(PATIENCE).until(() -> popular("grape") == 3 && parkedEvent("sick") == 1);
        assertThat(parked("sick").path("reason").asText()).contains("This handler cannot count poison");
        assertProblem(api.post("parked/popular-items/sick/2/skip"), 409, "is not parked at event 2");
        assertThat(api.post("parked/popular-items/sick/1/retry").status()).isEqualTo(200);
        await().atMost(PATIENCE)
                .until(() -> parked("sick").path("state").asText().equals("PARKED"));
        assertThat(api.post("parked/popular-items/sick/1/skip").status()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> popular("grape") == 5 && parkedEvent("sick") == 0);
        api.add("sick", "poison", 1);
        api.add("sick", "grape", 10);
        await().atMost(PATIENCE).until(() -> parkedEvent("sick") == 3);
        assertThat(api.post("parked/popular-items/sick/3/give-up").status()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> parkedEvent("sick") == 0);
        int events = api.add("sick", "grape", 1).body().path("events").asInt();
        assertThat(popular("grape", "?cart=sick&events=" + events + "&wait=30s"))
                .isEqualTo(6);
        assertProblem(api.post("parked/popular-items/sick/1/forget"), 404, "order is retry, skip or give-up");
    }

    private static JsonNode parked(String cart) {
        for (JsonNode parked : api.get("parked").body()) {
            if (parked.path("cart").asText().equals(cart)) {
                return parked;
            }
        }
        return MissingNode.getInstance();
    }

    private static int parkedEvent(String cart) {
        return parked(cart).path("event").asInt();
    }

    @Test
    void events_areStreamed_oldOnesFirst() throws Exception {
        api.add("watched", "apple", 2);
        try (Stream<String> lines = api.events()) {
            Iterator<String> data =
                    lines.filter(line -> line.contains("\"cart\":\"watched\"")).iterator();
            assertThat(data.next()).contains("\"number\":1", "added 2 apple");
            api.post("carts/watched/checkout");
            assertThat(data.next()).contains("\"number\":2", "checked out: order 1");
        }
    }

    @Test
    void requestsThatMakeNoSense_areToldWhatToDo() {
        assertProblem(api.add("mine", "apple", 0), 400, "'quantity' must be a whole number from 1 to 1000, not 0");
        assertProblem(api.add("mine", " ", 1), 400, "'item' must be the name of something");
        assertProblem(api.add("m%20ine", "apple", 1), 400, "A cart's id has 1 to 64");
        assertProblem(api.post("carts/mine/items", "{\"item\": 1.5"), 400, "Send JSON such as");
        assertProblem(api.post("carts/mine/items", "{\"item\": \"x\", \"quantity\": 1.5}"), 400, "Send JSON such as");
        assertProblem(api.get("carts?limit=1000"), 400, "'limit' must be");
        assertProblem(api.get("carts?limit=many"), 400, "The parameter 'limit' is wrong");
        assertProblem(api.get("carts/nobody"), 404, "There is no cart 'nobody' yet");
        assertProblem(api.get("nothing"), 404, "Try /carts");
        assertProblem(api.post("projections/orders/pause"), 404, "popular-items");
        assertProblem(api.post("projections/order-mails/stop"), 404, "pause, resume or rewind");
        assertProblem(api.post("popular"), 405, "GET");
        assertProblem(api.post("carts/nobody/checkout"), 409, "The cart is empty");
        assertProblem(api.send("DELETE", "carts/nobody/items/pear", Optional.empty()), 409, "There are 0 pear");
        HttpRequest form = HttpRequest.newBuilder(api.address().resolve("carts/mine/items"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("item=apple"))
                .build();
        assertProblem(Api.send(form), 415, "application/json");
    }

    @Test
    void bodyNull_isABadRequest() {
        assertProblem(api.post("carts/mine/items", "null"), 400, "Send JSON such as");
    }

    @Test
    void bodyThatIsTooLarge_isRefused() {
        assertProblem(api.add("mine", "x".repeat(20_000), 1), 400, "Request too large");
    }

    /** A page of another site can send what a form can, or have the reader's browser resolve its own name to this machine. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, http://evil.example",
        "127.0.0.1, null",
        "127.0.0.1, http://127.0.0.1:1",
        "127.0.0.1, https://localhost",
        "evil.example, http://evil.example",
        "evil.example, ''",
        "127.0.0.1.evil.example, ''",
    })
    void changesFromElsewhere_areRefused(String host, String origin) throws Exception {
        for (String request : List.of("POST /carts/mine/checkout", "DELETE /carts/mine/items/pear")) {
            String answer = exchange(
                    request + " HTTP/1.1\r\nHost: " + host + ":" + api.address().getPort()
                            + (origin.isEmpty() ? "" : "\r\nOrigin: " + origin)
                            + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 403 ").contains("{\"error\":\"Changes are taken");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "LocalHost"})
    void changesFromThePage_areTaken(String host) throws Exception {
        String authority = host + ":" + api.address().getPort();
        String body = "{\"item\": \"apple\", \"quantity\": 1}";
        String answer =
                exchange("POST /carts/from-the-page/items HTTP/1.1\r\nHost: " + authority + "\r\nOrigin: http://"
                        + authority.toLowerCase(Locale.ROOT) + "\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length()
                        + "\r\nConnection: close\r\n\r\n" + body);
        assertThat(answer).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void bodyThatDoesNotEnd_isNotWaitedFor() throws Exception {
        String answer =
                exchange("POST /carts/mine/items HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 100\r\nConnection: close\r\n\r\n{");
        assertThat(answer).startsWith("HTTP/1.1 408 ").contains("nosniff");
    }

    /** The last one, because the service hears of closed streams later. */
    @Test
    @Order(Integer.MAX_VALUE)
    void eventStreams_areLimited() throws Exception {
        try (Stream<String> one = api.events();
                Stream<String> two = api.events()) {
            assertThat(one.iterator().next()).isNotNull();
            assertThat(two.iterator().next()).isNotNull();
            assertProblem(api.get("events"), 503, "2 event streams");
        }
        await().atMost(PATIENCE).until(() -> {
            try (Stream<String> again = api.events()) {
                return !again.iterator().next().contains("error");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "carts", "metrics", "nothing", "carts?limit=1000"})
    void answers_haveTheUsualHeaders(String path) throws Exception {
        HttpHeaders headers = api.headers(path);
        assertThat(headers.map())
                .containsEntry("cache-control", List.of("no-store"))
                .containsEntry("referrer-policy", List.of("no-referrer"))
                .containsEntry("x-content-type-options", List.of("nosniff"))
                .containsEntry("x-frame-options", List.of("DENY"))
                .containsEntry("cross-origin-resource-policy", List.of("same-origin"))
                .doesNotContainKey("server");
        assertThat(headers.allValues("content-security-policy"))
                .singleElement()
                .satisfies(policy ->
                        assertThat(policy).startsWith("default-src 'none'").contains("frame-ancestors 'none'"));
    }

    /** What the service answers to these bytes before it closes the connection. */
    private static String exchange(String request) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), api.address().getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void assertProblem(Answer answer, int status, String text) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
        assertThat(answer.error()).contains(text);
    }

    @Test
    @Order(3)
    void portThatIsTaken_isRefusedOrReplaced() throws Exception {
        demo.close();
        try (ServerSocket taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> start(STRICT, new ByteArrayOutputStream(), "--port", "" + port))
                    .isInstanceOf(DemoOptions.InvalidException.class)
                    .hasMessageContaining("--port " + port + " cannot be used");

            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            demo = start(
                    ConfigFactory.parseString("shopping-cart.http.port = " + port)
                            .withFallback(STRICT),
                    printed);
            api = new Api(demo.addresses().get(0));
            assertThat(api.address().getPort()).isNotEqualTo(port);
            assertThat(printed.toString(StandardCharsets.UTF_8)).contains("Port " + port + " cannot be used");
        }
    }
}
