package io.varve.example.shoppingcart.demo;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/** A headless Chromium, driven by the W3C WebDriver protocol of its chromedriver. */
final class Chromium implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");

    private final Process driver;
    private final Api api;
    private final String session;

    private Chromium(Process driver, Api api, String session) {
        this.driver = driver;
        this.api = api;
        this.session = session;
    }

    /** Starts the browser with a profile in an empty folder; where it is not installed, the test is skipped. */
    static Chromium start(Path profile) throws IOException {
        Path chromium = Path.of("/usr/bin/chromium");
        Path chromedriver = Path.of("/usr/bin/chromedriver");
        Assumptions.assumeTrue(
                Files.isExecutable(chromium) && Files.isExecutable(chromedriver),
                "The page is not tested: " + chromium + " and " + chromedriver
                        + " are needed (Debian: apt-get install chromium chromium-driver)");
        Process driver = new ProcessBuilder(chromedriver.toString(), "--port=0")
                .redirectErrorStream(true)
                .start();
        Api api = new Api(URI.create("http://127.0.0.1:" + port(driver) + "/"));
        Map<String, Object> options = Map.of(
                "binary",
                chromium.toString(),
                "args",
                List.of(
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--window-size=1400,920",
                        "--user-data-dir=" + profile));
        String session = value(api.post(
                        "session",
                        MAPPER.writeValueAsString(
                                Map.of("capabilities", Map.of("alwaysMatch", Map.of("goog:chromeOptions", options))))))
                .path("sessionId")
                .asText();
        return new Chromium(driver, api, session);
    }

    private static int port(Process driver) throws IOException {
        BufferedReader output = driver.inputReader();
        String line;
        while ((line = output.readLine()) != null) {
            Matcher started = STARTED.matcher(line);
            if (started.find()) {
                return Integer.parseInt(requireNonNull(started.group(1)));
            }
        }
        throw new IllegalStateException("chromedriver did not start");
    }

    void open(URI page) throws IOException {
        command("url", Map.of("url", page.toString()));
    }

    /** What a JavaScript expression gives. */
    JsonNode evaluate(String expression) throws IOException {
        return command("execute/sync", Map.of("script", "return " + expression, "args", List.of()));
    }

    /** The text of the first element that a CSS selector finds, or nothing. */
    String text(String selector) throws IOException {
        return evaluate("(document.querySelector('%s') || {textContent: ''}).textContent".formatted(selector))
                .asText();
    }

    void click(String selector) throws IOException {
        command("element/" + element(selector) + "/click", Map.of());
    }

    /** Puts a text into a field in place of what is there. */
    void type(String selector, String text) throws IOException {
        String element = element(selector);
        command("element/" + element + "/clear", Map.of());
        command("element/" + element + "/value", Map.of("text", text));
    }

    /** What the page looks like, as PNG. */
    byte[] screenshot() {
        return Base64.getDecoder()
                .decode(value(api.get("session/" + session + "/screenshot")).asText());
    }

    private String element(String selector) throws IOException {
        return command("element", Map.of("using", "css selector", "value", selector))
                .elements()
                .next()
                .asText();
    }

    private JsonNode command(String path, Object body) throws IOException {
        return value(api.post("session/" + session + "/" + path, MAPPER.writeValueAsString(body)));
    }

    private static JsonNode value(Api.Answer answer) {
        if (answer.status() != 200) {
            throw new IllegalStateException("The browser says: " + answer.body());
        }
        return answer.body().path("value");
    }

    @Override
    public void close() {
        api.send("DELETE", "session/" + session, Optional.empty());
        driver.destroy();
        driver.onExit().join();
    }
}
