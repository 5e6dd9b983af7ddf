package io.varve.example.shoppingcart.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a headless Chromium; skipped, with a message, where there is none. */
class PageTest {
    private static final String ROW = "#cart-mine";
    private static final String POPULAR = "#projection-popular-items";

    @TempDir
    Path folder;

    @TempDir
    Path profile;

    @Test
    void page_showsWhatHappens_andItsButtonsWork() throws Exception {
        try (Chromium browser = Chromium.start(profile);
                Demo demo = Demo.start(
                        DemoOptions.parse(List.of("--data", folder.toString(), "--port", "0")),
                        ConfigFactory.load(),
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8))) {
            browser.open(demo.addresses().get(0));
            assertThat(browser.text("h1")).isEqualTo("Shopping carts");

            browser.type("input[name=item]", "<b>bread</b>");
            browser.type("input[name=quantity]", "3");
            browser.click("#add button");
            shows(browser, ROW, "3 <b>bread</b>");
            shows(browser, "#events li", "added 3 <b>bread</b>");
            shows(browser, "#popular", "<b>bread</b>3");
            assertThat(browser.evaluate("document.querySelectorAll('td b').length")
                            .asInt())
                    .isZero();

            browser.click("#cart-mine button");
            shows(browser, "#events li", "checked out: order 1");
            shows(browser, ROW, "nothing");

            shows(browser, POPULAR, "running");
            browser.click(POPULAR + " button[aria-label^=Pause]");
            shows(browser, POPULAR, "paused");
            browser.click("#add button");
            shows(browser, POPULAR, "1 event waits");
            browser.click(POPULAR + " button[aria-label^=Rewind]");
            shows(browser, "#message", "popular-items begins again");
            shows(browser, POPULAR, "running");
            shows(browser, "#popular", "<b>bread</b>6");
            shows(browser, POPULAR, "0 events wait");

            browser.type("input[name=item]", " ");
            browser.click("#add button");
            shows(browser, "#message.error", "must be the name of something");
            assertThat(browser.screenshot()).isNotEmpty();
        }
    }

    private static void shows(Chromium browser, String selector, String text) {
        await().alias(selector + " shows " + text)
                .atMost(Duration.ofSeconds(60))
                .until(() -> browser.text(selector), shown -> shown.contains(text));
    }
}
