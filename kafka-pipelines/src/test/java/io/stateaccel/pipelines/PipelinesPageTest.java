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
package io.stateaccel.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the page on pipelines tells to copy is what the tests run. */
class PipelinesPageTest {

    private static final Path PAGE = Path.of("..", "docs", "pipelines.md");

    /** Blocks that only a broker can run; the others are run by a test of all pages. */
    private static final Pattern BLOCK =
            Pattern.compile("^```sql title=.*\\n((?:.*\\n)*?)```$", Pattern.MULTILINE);

    private static final Pattern CONNECTOR =
            Pattern.compile("<(kafka\\.connector(?:\\.clients)?\\.version)>(.*)</");

    @Test
    void itsStatementsAreThoseOfTheTests() throws IOException {
        List<String> blocks =
                BLOCK.matcher(Files.readString(PAGE))
                        .results()
                        .map(block -> block.group(1))
                        .toList();
        assertThat(blocks)
                .containsExactly(
                        PipelineSql.file("orders/settings.sql"),
                        PipelineSql.file("orders/tables.sql"),
                        PipelineSql.file("orders/query.sql"));
    }

    @Test
    void itsConnectorsAreThoseOfTheBuild() throws IOException {
        String page = Files.readString(PAGE);
        Matcher built = CONNECTOR.matcher(Files.readString(Path.of("..", "pom.xml")));
        assertThat(built.results().map(version -> version.group(2)))
                .hasSizeGreaterThan(4)
                .allMatch(version -> page.contains("| " + version + " |"));
    }
}
