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
package io.stateaccel.command.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which files it reads, with Flink's planner; what our planner makes of them is tested elsewhere.
 */
class ExplainSqlTest {

    private static final String TABLES =
            """
            CREATE TABLE t (id BIGINT, `a;b` STRING) WITH ('connector' = 'datagen');
            CREATE TABLE s (id BIGINT) WITH ('connector' = 'blackhole');
            """;

    @TempDir private Path directory;

    /** What {@code sql-client.sh -f} takes for one statement. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXPLAIN STATEMENT SET BEGIN INSERT INTO s SELECT id FROM t; INSERT INTO s SELECT 1;"
                        + " END;",
                "EXPLAIN CHANGELOG_MODE, JSON_EXECUTION_PLAN STATEMENT SET\nBEGIN\nINSERT INTO s"
                        + " SELECT id FROM t;\nEND;",
                "EXPLAIN PLAN FOR STATEMENT SET BEGIN INSERT INTO s SELECT id FROM t; END",
                "EXPLAIN ESTIMATED_COST SELECT id FROM t;",
                "EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT id FROM t; INSERT INTO s SELECT 1;"
                        + " END;",
                "execute statement set\nbegin -- first; the\nINSERT INTO s SELECT id FROM t;"
                        + " /* ; */ INSERT INTO s SELECT 1;\nend;",
                "BEGIN STATEMENT SET;\nINSERT INTO s SELECT id FROM t;\nINSERT INTO s SELECT 1;\n"
                        + "END;",
                "begin  statement set; INSERT INTO s SELECT id FROM t;\nend",
                "SELECT id, `a;b` FROM t WHERE `a;b` <> 'it''s; -- one' -- ; '",
                "SELECT id -- it's\n FROM t; -- the end; or so\n/* and\n; 'that */",
                "SELECT /*+ STATE_TTL('t' = '1 d') */ id, COUNT(*) FROM t GROUP BY id;",
                "EXECUTE INSERT INTO s SELECT id FROM t;",
                "WITH c AS (SELECT id FROM t) SELECT id FROM c;",
            })
    void takesForOneStatement(String statement) throws Exception {
        assertThat(explain(TABLES + statement))
                .containsOnlyOnce("Statement 3: ")
                .doesNotContain("Statement 4", "left out")
                .contains("TableSourceScan");
    }

    @Test
    void readsWhatTheSqlClientReads() throws Exception {
        Path jar = directory.resolve("a;b.jar");
        new JarOutputStream(Files.newOutputStream(jar), new Manifest()).close();

        assertThat(
                        explain(
                                TABLES
                                        + "SET 'parallelism.default' = '3;4';\n"
                                        + "SET;\n"
                                        + "RESET 'parallelism.default';\n"
                                        + "ADD JAR '"
                                        + jar
                                        + "';\n"
                                        + "SHOW JARS;\n"
                                        + "CREATE DATABASE d; USE d;\n"
                                        + "CREATE TEMPORARY FUNCTION f AS"
                                        + " '"
                                        + Twice.class.getName()
                                        + "';\n"
                                        + "DROP TEMPORARY FUNCTION f;\n"
                                        + "DESCRIBE default_database.t;\n"
                                        + "USE CATALOG default_catalog; USE default_database;\n"
                                        + "CREATE VIEW v AS SELECT id FROM t; ALTER TABLE t RENAME"
                                        + " TO u;;\n"
                                        + "SELECT id FROM u;\n"
                                        + "HELP;\n"
                                        + "QUIT;\n"
                                        + "SELECT no_column FROM u;"))
                .contains("Statement 7 is left out: SHOW JARS\n")
                .contains("Statement 12 is left out: DESCRIBE default_database.t\n")
                .contains("Statement 17: SELECT id FROM u\n")
                .contains("Statement 18 is left out: HELP\n")
                .doesNotContain("no_column");
    }

    @Test
    void resetsAll() throws Exception {
        String distinct = "SELECT DISTINCT id FROM t;\n";
        String twoPhases =
                "SET 'table.exec.mini-batch.enabled' = 'true';\n"
                        + "SET 'table.exec.mini-batch.size' = '10';\n"
                        + "SET 'table.exec.mini-batch.allow-latency' = '1 s';\n";

        assertThat(explain(TABLES + twoPhases + distinct + "RESET;\n" + distinct))
                .containsSubsequence(
                        "Statement 6: ",
                        "LocalGroupAggregate(",
                        "Statement 8: ",
                        "GroupAggregate(");
        assertThat(explain(TABLES + twoPhases + "RESET;\n" + distinct))
                .contains("GroupAggregate(")
                .doesNotContain("LocalGroupAggregate(", "switches that off");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXPLAIN STATEMENT SET BEGIN INSERT INTO s SELECT id FROM t; SELECT 1;",
                "EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT id FROM t;",
                "BEGIN STATEMENT SET; INSERT INTO s SELECT id FROM t;",
                "BEGIN STATEMENT SET; SELECT id FROM t; END;",
                "END;",
                "SELECT id FROM ; SELECT id FROM t;",
            })
    void namesWhatCannotBe(String statements) {
        assertThatThrownBy(() -> explain(TABLES + statements))
                .hasMessageStartingWith("Statement 3 of " + directory);
    }

    /** A function for a file to define. */
    public static final class Twice extends ScalarFunction {
        public Long eval(Long value) {
            return 2 * value;
        }
    }

    private String explain(String script) throws IOException {
        Path file = Files.writeString(directory.resolve("job.sql"), script);
        StringWriter out = new StringWriter();
        new ExplainSql().accept(file, new PrintWriter(out, true));
        return out.toString();
    }
}
