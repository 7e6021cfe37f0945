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
package io.stateaccel.nexmark.browser;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Chromium without a window, for tests that look at a page. It and its driver have to be installed.
 * For one thread.
 */
public final class Browser implements AutoCloseable {

    /** In CSS pixels: a table may be too wide and scroll, the page may not. */
    private static final String OVERFLOW =
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth";

    private static final int WIDTH_OF_PHONES = 600;

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration POLL = Duration.ofMillis(200);

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts a browser that reaches the machine it runs on. */
    public static Browser open() {
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
        return new Browser(new ChromeDriver(options));
    }

    /** Starts a browser for which every request over the network fails, and is on the console. */
    public static Browser openOffline() {
        Browser browser = open();
        browser.driver.executeCdpCommand("Network.enable", Map.of());
        browser.driver.executeCdpCommand(
                "Network.emulateNetworkConditions",
                Map.of(
                        "offline", true,
                        "latency", 0,
                        "downloadThroughput", 0,
                        "uploadThroughput", 0));
        return browser;
    }

    /**
     * Sets what pages are shown on.
     *
     * @param width in CSS pixels; narrow ones are phones
     * @param scheme {@code light} or {@code dark}
     */
    public void size(int width, int height, String scheme) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        width,
                        "height",
                        height,
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        width < WIDTH_OF_PHONES));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Shows a page, and gives its scripts a second. */
    public void show(String address) {
        driver.get(address);
        driver.executeAsyncScript("setTimeout(arguments[0], 1000)");
    }

    /** What a script of the page returns. */
    public Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** The number that a script of the page returns. */
    public long number(String script) {
        return ((Number) run(script)).longValue();
    }

    /** By how many CSS pixels the page is too wide. */
    public long overflow() {
        return number(OVERFLOW);
    }

    /**
     * Waits until a script of the page returns true.
     *
     * @throws IllegalStateException when it does not, with the text of the page
     */
    public void await(String script, Object... arguments) {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (!Boolean.TRUE.equals(run(script, arguments))) {
            if (System.nanoTime() > giveUp) {
                throw new IllegalStateException(
                        script + " is not true of: " + run("return document.body.innerText"));
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    /** Errors and warnings since the last call. */
    public List<LogEntry> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll();
    }

    /** Leaves what is seen in {@code target/screenshots} of the module. */
    public void screenshot(String name) throws IOException {
        Files.write(
                Files.createDirectories(Path.of("target", "screenshots")).resolve(name + ".png"),
                driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
