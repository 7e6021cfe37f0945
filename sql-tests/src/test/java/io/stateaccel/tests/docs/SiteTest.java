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
package io.stateaccel.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.stateaccel.nexmark.browser.Browser;
import io.stateaccel.tests.cluster.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The documentation as a site, which can be read from a disk: built by {@code tools/build-site},
 * where Python and a package index are, and looked at in Chromium in the profile {@code browser}.
 */
class SiteTest {

    private static final Path SITE = Page.REPOSITORY.resolve("target/site");
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    /** What {@code tools/build-site} says where MkDocs cannot be installed. */
    private static final int NOT_INSTALLED = 3;

    /** What a browser would load by itself, from elsewhere. Links for readers are not among it. */
    private static final Pattern LOADED_FROM_ELSEWHERE =
            Pattern.compile(
                    "<(?:script|link|img|iframe|source)\\b[^>]*(?:src|href)=[\"']?(?:https?:)?//[^>]*>"
                            + "|@import|url\\([\"']?(?:https?:)?//");

    @BeforeAll
    static void build() throws Exception {
        Command.Result result =
                Command.run(
                        List.of(Page.REPOSITORY.resolve("tools/build-site").toString()),
                        Page.REPOSITORY,
                        Map.of(),
                        DEADLINE);
        assumeThat(result.exitCode()).as(result.output()).isNotEqualTo(NOT_INSTALLED);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    @Test
    void everyPageIsThere() throws IOException {
        try (Stream<Path> files = Files.walk(Page.REPOSITORY.resolve(Page.DOCS))) {
            Set<String> pages =
                    files.map(file -> Page.REPOSITORY.resolve(Page.DOCS).relativize(file))
                            .map(Path::toString)
                            .filter(file -> file.endsWith(".md"))
                            .map(file -> file.replace(".md", ".html"))
                            .collect(Collectors.toCollection(TreeSet::new));
            assertThat(pages).hasSizeGreaterThan(10).allMatch(page -> html().contains(page));
        }
    }

    @Test
    void nothingIsLoadedFromElsewhere() throws IOException {
        try (Stream<Path> files = Files.walk(SITE)) {
            for (Path file : files.filter(SiteTest::isMarkup).toList()) {
                assertThat(Files.readString(file))
                        .as(file.toString())
                        .doesNotContainPattern(LOADED_FROM_ELSEWHERE);
            }
        }
    }

    private static boolean isMarkup(Path file) {
        return file.toString().endsWith(".html") || file.toString().endsWith(".css");
    }

    /** What a server answers for a page that is not there is for servers only. */
    private static boolean isRead(String file) {
        return file.endsWith(".html") && !file.equals("404.html");
    }

    private static Set<String> html() {
        try (Stream<Path> files = Files.walk(SITE)) {
            return files.map(file -> SITE.relativize(file).toString()).collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @EnabledIfSystemProperty(named = "stateaccel.browser", matches = "true")
    @ParameterizedTest
    @CsvSource({"1280, 900, light", "1280, 900, dark", "390, 844, light", "390, 844, dark"})
    void looksRight(int width, int height, String scheme) throws IOException {
        try (Browser browser = Browser.openOffline()) {
            browser.size(width, height, scheme);
            for (String page : html().stream().filter(SiteTest::isRead).toList()) {
                browser.show(SITE.resolve(page).toUri().toString());
                browser.screenshot(
                        "site-%s-%d-%s"
                                .formatted(
                                        page.replace('/', '-').replace(".html", ""),
                                        width,
                                        scheme));
                assertThat(browser.overflow()).as(page).isZero();
                assertThat(browser.console()).as(page).isEmpty();
            }
        }
    }

    @EnabledIfSystemProperty(named = "stateaccel.browser", matches = "true")
    @Test
    void canBeSearchedFromADisk() {
        try (Browser browser = Browser.openOffline()) {
            browser.size(1280, 900, "light");
            browser.show(SITE.resolve("index.html").toUri().toString());
            browser.run(
                    """
                    const query = document.querySelector("input[name=query]");
                    query.focus();
                    query.value = "tombstone";
                    query.dispatchEvent(new Event("input", {bubbles: true}));
                    query.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));""");
            browser.await(
                    """
                    return Array.from(document.querySelectorAll(".md-search-result a"))
                      .some(link => link.href.includes("internals.html"))""");
        }
    }
}
