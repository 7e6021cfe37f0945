/*
 * Copyright the flink-state-accel authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.stateaccel.nexmark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * The page of a report in a real browser, at the width of a desktop and of a phone, light and dark.
 * Screenshots are left in {@code target/screenshots}. Needs Chromium and its driver: {@code mvn -pl
 * nexmark-sql -am verify -Pbrowser}.
 */
@EnabledIfSystemProperty(named = "stateaccel.browser", matches = "true")
class ReportInBrowserTest {

    /** In CSS pixels: a table may be too wide and scroll, the page may not. */
    private static final String OVERFLOW =
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth";

    /** How many charts have drawn nothing at all. */
    private static final String BLANK_CHARTS =
            """
            return Array.from(document.querySelectorAll("canvas")).filter(canvas => {
              const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
              return all.data.every(value => value === 0);
            }).length""";

    /** The darkest and the lightest a colour can be are 0 and 765. */
    private static final String BACKGROUND =
            """
            return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3)
              .reduce((sum, part) => sum + Number(part), 0)""";

    @TempDir private static Path directory;

    private static ChromeDriver browser;
    private static String page;

    @BeforeAll
    static void open() throws IOException {
        Path file = directory.resolve("index.html");
        HtmlReport.write(Reports.full("./bench q4 --report out"), file);
        page = file.toUri().toString();
        LoggingPreferences console = new LoggingPreferences();
        console.enable(LogType.BROWSER, Level.WARNING);
        ChromeOptions options = new ChromeOptions();
        options.setCapability("goog:loggingPrefs", console);
        options.addArguments(
                "--headless",
                // Chromium's sandbox refuses to run as root, which builds in containers are.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run");
        browser = new ChromeDriver(options);
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.quit();
        }
    }

    @ParameterizedTest
    @CsvSource({"1280, light", "1280, dark", "390, light", "390, dark"})
    void looksRight(int width, String scheme) throws IOException {
        show(width, scheme);
        Files.write(
                Files.createDirectories(Path.of("target", "screenshots"))
                        .resolve("report-%d-%s.png".formatted(width, scheme)),
                browser.getScreenshotAs(OutputType.BYTES));

        assertThat(number(OVERFLOW)).as("pixels by which the page is too wide").isZero();
        assertThat(number("return document.querySelectorAll('canvas').length")).isPositive();
        assertThat(number(BLANK_CHARTS)).as("blank charts").isZero();
        if (scheme.equals("dark")) {
            assertThat(number(BACKGROUND)).isLessThan(200);
        } else {
            assertThat(number(BACKGROUND)).isGreaterThan(600);
        }
        List<LogEntry> console = browser.manage().logs().get(LogType.BROWSER).getAll();
        assertThat(console).isEmpty();
    }

    @Test
    void saysWhatWasRunAndWhere() {
        show(1280, "light");
        String text = (String) browser.executeScript("return document.body.innerText");
        assertThat(text)
                .contains("./bench q4 --report out", "A processor", "JDK 17", "2.3.0")
                .contains("wide-interval-join", "out of memory");
    }

    /** Asks for nothing: a request over the network would fail and be on the console. */
    private static void show(int width, String scheme) {
        // Charts are drawn when they come into view: at this height, all of them are.
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        width,
                        "height",
                        9000,
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        width < 600));
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        browser.executeCdpCommand("Network.enable", Map.of());
        browser.executeCdpCommand(
                "Network.emulateNetworkConditions",
                Map.of(
                        "offline", true,
                        "latency", 0,
                        "downloadThroughput", 0,
                        "uploadThroughput", 0));
        browser.get(page);
        browser.executeAsyncScript("setTimeout(arguments[0], 1000)");
    }

    private static long number(String script) {
        return ((Number) browser.executeScript(script)).longValue();
    }
}
