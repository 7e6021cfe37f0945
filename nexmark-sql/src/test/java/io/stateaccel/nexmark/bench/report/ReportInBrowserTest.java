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
package io.stateaccel.nexmark.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.browser.Browser;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page of a report in a real browser, at the width of a desktop and of a phone, light and dark.
 * Screenshots are left in {@code target/screenshots}. Needs Chromium and its driver: {@code mvn -pl
 * nexmark-sql -am verify -Pbrowser}.
 */
@EnabledIfSystemProperty(named = "stateaccel.browser", matches = "true")
class ReportInBrowserTest {

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

    /** Charts are drawn when they come into view: at this height, all of them are. */
    private static final int HEIGHT = 9000;

    @TempDir private static Path directory;

    private static Browser browser;
    private static String page;
    private static String loads;

    @BeforeAll
    static void open() throws IOException {
        Path file = directory.resolve("index.html");
        HtmlReport.write(Reports.full("./bench q4 --report out"), file);
        page = file.toUri().toString();
        Path loadsFile = directory.resolve("loads.html");
        HtmlReport.write(Reports.underLoads("./bench latency --report out"), loadsFile);
        loads = loadsFile.toUri().toString();
        browser = Browser.openOffline();
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"1280, light", "1280, dark", "390, light", "390, dark"})
    void looksRight(int width, String scheme) throws IOException {
        check(page, "report", width, scheme);
    }

    @ParameterizedTest
    @CsvSource({"1280, light", "1280, dark", "390, light", "390, dark"})
    void looksRightUnderLoads(int width, String scheme) throws IOException {
        check(loads, "loads", width, scheme);
    }

    private static void check(String shown, String name, int width, String scheme)
            throws IOException {
        browser.size(width, HEIGHT, scheme);
        browser.show(shown);
        browser.screenshot("%s-%d-%s".formatted(name, width, scheme));

        assertThat(browser.overflow()).as("pixels by which the page is too wide").isZero();
        assertThat(browser.number("return document.querySelectorAll('canvas').length"))
                .isPositive();
        assertThat(browser.number(BLANK_CHARTS)).as("blank charts").isZero();
        if (scheme.equals("dark")) {
            assertThat(browser.number(BACKGROUND)).isLessThan(200);
        } else {
            assertThat(browser.number(BACKGROUND)).isGreaterThan(600);
        }
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void saysWhatWasRunAndWhere() {
        browser.size(1280, HEIGHT, "light");
        browser.show(page);
        String text = (String) browser.run("return document.body.innerText");
        assertThat(text)
                .contains("./bench q4 --report out", "A processor", "JDK 17", "2.3.0")
                .contains("wide-interval-join", "out of memory");
    }
}
