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
package io.stateaccel.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.junit.jupiter.api.Test;

/** Holds {@code docs/options.md} to {@link StateAccelOptions}. */
class OptionsDocumentationTest {

    private static final Path PAGE = Path.of("..", "docs", "options.md");

    /** Writes the page with {@code -Dstateaccel.write-docs=true}. */
    @Test
    void pageIsGeneratedFromTheOptions() throws Exception {
        String page = page();
        if (Boolean.getBoolean("stateaccel.write-docs")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE)
                .as(
                        "out of date: mvn -pl state-views test -Dstateaccel.write-docs=true"
                                + " -Dtest=OptionsDocumentationTest")
                .hasContent(page);
    }

    @Test
    void everyOptionIsListed() throws Exception {
        List<Object> declared =
                Arrays.stream(StateAccelOptions.class.getFields())
                        .filter(field -> Modifier.isStatic(field.getModifiers()))
                        .filter(field -> field.getType() == ConfigOption.class)
                        .map(OptionsDocumentationTest::valueOf)
                        .toList();
        assertThat(StateAccelOptions.all()).containsExactlyInAnyOrderElementsOf(cast(declared));
    }

    private static List<ConfigOption<?>> cast(List<Object> options) {
        return options.stream().<ConfigOption<?>>map(option -> (ConfigOption<?>) option).toList();
    }

    private static Object valueOf(Field field) {
        try {
            return field.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static String page() {
        StringBuilder page = new StringBuilder();
        page.append("# Options\n\n");
        page.append("All options work through `SET 'key' = 'value'` in a SQL session, through\n");
        page.append("`TableConfig`, and in `config.yaml`. This page is generated from\n");
        page.append("`StateAccelOptions`.\n\n");
        page.append("| Key | Default | Description |\n|---|---|---|\n");
        for (ConfigOption<?> option : StateAccelOptions.all()) {
            page.append("| `").append(option.key()).append("` | ");
            page.append(defaultOf(option)).append(" | ");
            page.append(new HtmlFormatter().format(option.description())).append(" |\n");
        }
        return page.toString();
    }

    private static String defaultOf(ConfigOption<?> option) {
        if (!option.hasDefaultValue()) {
            return "none";
        }
        Object value = option.defaultValue();
        return "`" + asSet(value) + "`";
    }

    /** As {@code SET} takes it. */
    private static String asSet(Object value) {
        if (value instanceof Duration duration) {
            return duration.toMillis() + " ms";
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Object::toString).collect(Collectors.joining(";"));
        }
        return value.toString();
    }
}
