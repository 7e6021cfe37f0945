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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.tests.cluster.Nexmark;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the SQL of each page in a session of its own, in which Nexmark's tables are known. */
@Timeout(180)
class SqlBlocksTest {

    /** For the source of Nexmark's tables, so that a query takes no more than seconds. */
    private static final Map<String, String> SHORT = Map.of("events.num", "20000");

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(1)
                            .build());

    @TempDir private Path directory;

    static Stream<Page> pages() {
        return Page.written().stream().filter(page -> !sql(page).isEmpty());
    }

    private static String sql(Page page) {
        return page.blocks().stream()
                .filter(block -> block.language().equals("sql") && !block.isExempt())
                .map(CodeBlock::text)
                .collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void runs(Page page) throws Exception {
        session().run(sql(page));
    }

    @Test
    void theQuickStartShowsThePlanThatComes() throws Exception {
        Page page = Page.read(Page.DOCS.resolve("quick-start.md"));
        List<String> shown =
                page.blocks().stream()
                        .filter(block -> block.language().equals("text"))
                        .flatMap(block -> block.text().lines())
                        .toList();
        SqlSession session = session();
        session.run(sql(page));

        assertThat(session.plans()).hasSize(1);
        assertThat(session.jobs()).isEqualTo(1);
        assertThat(shown).isNotEmpty();
        for (String line : shown) {
            assertThat(session.plans().get(0)).containsPattern(withGaps(line));
        }
    }

    private static Pattern withGaps(String line) {
        return Pattern.compile(
                Arrays.stream(line.split("\\.\\.\\."))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*")));
    }

    @Test
    void mistakesAreFound() {
        for (String mistake :
                List.of(
                        "SELECT price FROM auction;",
                        "SET 'table.exec.state-accel.mini-batch.size' = 'many';",
                        "SET 'table.exec.state-accel.mini-batches.size' = '1';")) {
            assertThatThrownBy(() -> session().run(mistake)).as(mistake).isNotNull();
        }
        // Of a job that fails the client may learn no more than that its sink is gone.
        assertThatThrownBy(() -> session().run("SELECT 1 / (id - id) FROM person;"))
                .as("fails when it runs")
                .isNotNull();
    }

    private SqlSession session() throws Exception {
        SqlSession session =
                new SqlSession(
                        new Configuration()
                                .set(RocksDBOptions.LOCAL_DIRECTORIES, directory.toString()));
        session.run(Nexmark.tables(SHORT));
        return session;
    }
}
