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

import io.stateaccel.config.StateAccelOptions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.YamlParserUtils;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBNativeMetricOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What pages refer to is there: links, headings, places in the menu, options, measured ratios. */
class PagesTest {

    private static final Pattern EXTERNAL = Pattern.compile("https?://.*");

    private static final Pattern OPTION =
            Pattern.compile(
                    "(?:table\\.exec\\.state-accel|state\\.backend\\.(?:state-accel|rocksdb))"
                            + "(?:\\.[a-z0-9]+(?:-[a-z0-9]+)*)+");

    /** The keys of another state backend, in the page that says what to do about them. */
    private static final String FOREIGN = "state.backend.rocksdb.falcon";

    private static final Pattern RATIO = Pattern.compile("\\b\\d+\\.\\d+x");

    private static final Path FIGURES = Page.DOCS.resolve("benchmarks.md");

    static List<Page> pages() {
        return Page.written();
    }

    @Test
    void readsWhatThereIs() {
        assertThat(pages())
                .map(Page::toString)
                .contains("README.md", "docs/quick-start.md", "sql-tests/README.md");
        Page internals = Page.read(Page.DOCS.resolve("internals.md"));
        assertThat(internals.anchors()).contains("the-state-cache", "hot-keys");
        assertThat(internals.links())
                .contains("metrics.md#the-state-cache")
                .anyMatch(link -> EXTERNAL.matcher(link).matches());
        assertThat(internals.blocks()).map(CodeBlock::language).contains("sh", "text");
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Page page) {
        for (String link : page.links()) {
            if (EXTERNAL.matcher(link).matches()) {
                continue;
            }
            String[] parts = link.split("#", 2);
            Path target =
                    parts[0].isEmpty()
                            ? page.path()
                            : page.path().resolveSibling(parts[0]).normalize();
            assertThat(Page.REPOSITORY.resolve(target)).as("%s in %s", link, page).exists();
            if (page.path().startsWith(Page.DOCS)) {
                assertThat(target)
                        .as("%s in %s is on the site", link, page)
                        .startsWithRaw(Page.DOCS);
            }
            if (parts.length == 2) {
                assertThat(Page.read(target).anchors())
                        .as("%s in %s", link, page)
                        .contains(parts[1]);
            }
        }
    }

    @Test
    void everyPageIsInTheMenuOnce() throws Exception {
        List<String> menu = new ArrayList<>();
        collect(
                YamlParserUtils.loadYamlFile(Page.REPOSITORY.resolve("mkdocs.yml").toFile())
                        .get("nav"),
                menu);
        Path docs = Page.REPOSITORY.resolve(Page.DOCS);
        try (Stream<Path> files = Files.walk(docs)) {
            assertThat(menu)
                    .containsExactlyInAnyOrderElementsOf(
                            files.filter(file -> file.toString().endsWith(".md"))
                                    .map(file -> docs.relativize(file).toString())
                                    .toList());
        }
    }

    private static void collect(Object part, List<String> menu) {
        if (part instanceof Map<?, ?> named) {
            named.values().forEach(value -> collect(value, menu));
        } else if (part instanceof List<?> list) {
            list.forEach(value -> collect(value, menu));
        } else {
            menu.add((String) part);
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyPictureIsSmall(Page page) throws IOException {
        for (String link : page.links()) {
            if (link.endsWith(".png")) {
                Path picture = Page.REPOSITORY.resolve(page.path()).resolveSibling(link);
                assertThat(Files.size(picture)).as(link).isLessThan(300_000);
            }
        }
    }

    @Test
    void noPictureIsLeftOver() throws IOException {
        Set<String> shown =
                pages().stream()
                        .flatMap(page -> page.links().stream())
                        .filter(link -> link.startsWith("images/"))
                        .collect(Collectors.toCollection(TreeSet::new));
        try (Stream<Path> pictures =
                Files.list(Page.REPOSITORY.resolve(Page.DOCS).resolve("images"))) {
            assertThat(pictures.map(picture -> "images/" + picture.getFileName()))
                    .containsExactlyInAnyOrderElementsOf(shown);
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyOptionThatIsNamedExists(Page page) {
        Set<String> known = knownOptions();
        OPTION.matcher(Page.text(page.path()))
                .results()
                .map(option -> option.group())
                .filter(option -> !option.startsWith(FOREIGN))
                .forEach(
                        option ->
                                assertThat(known)
                                        .as("%s in %s", option, page)
                                        .anyMatch(
                                                key ->
                                                        key.equals(option)
                                                                || key.startsWith(option + ".")));
    }

    private static Set<String> knownOptions() {
        Set<String> known = new HashSet<>();
        StateAccelOptions.all().forEach(option -> known.add(option.key()));
        for (Class<?> options :
                List.of(
                        RocksDBOptions.class,
                        RocksDBConfigurableOptions.class,
                        RocksDBManualCompactionOptions.class,
                        RocksDBNativeMetricOptions.class)) {
            for (Field field : options.getFields()) {
                if (Modifier.isStatic(field.getModifiers())
                        && field.getType() == ConfigOption.class) {
                    known.add(keyOf(field));
                }
            }
        }
        return known;
    }

    private static String keyOf(Field field) {
        try {
            return ((ConfigOption<?>) field.get(null)).key();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Figures beside their own measurement are where they belong; these repeat them. */
    static Stream<Page> pagesThatRepeatFigures() {
        return pages().stream()
                .filter(page -> page.path().getNameCount() == 1 || page.path().startsWith("docs"))
                .filter(page -> !page.path().equals(FIGURES))
                .filter(page -> !page.path().endsWith("internals.md"));
    }

    @ParameterizedTest
    @MethodSource("pagesThatRepeatFigures")
    void everyRatioIsAMeasuredOne(Page page) {
        String measured = Page.text(FIGURES);
        RATIO.matcher(page.prose())
                .results()
                .forEach(ratio -> assertThat(measured).as(page.toString()).contains(ratio.group()));
    }
}
