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

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.SqlParserEOFException;
import org.junit.jupiter.api.Test;

class SqlScriptTest {

    @Test
    void splitsAtSemicolons() {
        assertThat(statements(" SELECT 1 ;\n\n;SELECT\n2"))
                .containsExactly("SELECT 1", "SELECT\n2");
        assertThat(statements(" ;\n-- nothing")).isEmpty();
    }

    @Test
    void notWithinQuotesAndComments() {
        assertThat(
                        statements(
                                "SELECT ';--', 'it''s; one', `a;b` -- one; two\n"
                                        + "FROM /* three; ' */ t; SELECT \"x;\""))
                .containsExactly("SELECT ';--', 'it''s; one', `a;b`  FROM   t", "SELECT \"x;\"");
    }

    @Test
    void hintsAreNoComments() {
        assertThat(statements("SELECT /*+ STATE_TTL('a'='1;') */ 1 /* x */;"))
                .containsExactly("SELECT /*+ STATE_TTL('a'='1;') */ 1");
    }

    @Test
    void whatDoesNotEndGoesToTheEnd() {
        assertThat(statements("SELECT 'a;b")).containsExactly("SELECT 'a;b");
        assertThat(statements("SELECT 1 /* a;b")).containsExactly("SELECT 1");
    }

    @Test
    void aStatementGoesOnWhileItIsNotComplete() {
        assertThat(
                        statements(
                                "SELECT 0; EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;"
                                        + "INSERT INTO b SELECT 2; END; SELECT 3"))
                .containsExactly(
                        "SELECT 0",
                        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;\n"
                                + "INSERT INTO b SELECT 2;\nEND",
                        "SELECT 3");
    }

    @Test
    void whatIsNeverCompleteIsThrownAndNamed() {
        SqlScript script = new SqlScript("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;");

        assertThatThrownBy(() -> script.next(SqlScriptTest::parse))
                .isInstanceOf(SqlParserEOFException.class);
        assertThat(script.text()).isEqualTo("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1");
    }

    @Test
    void anErrorIsNotTakenForAnUnfinishedStatement() {
        SqlScript script = new SqlScript("SELEKT 1; SELECT 2");

        assertThatThrownBy(
                        () ->
                                script.next(
                                        text -> {
                                            throw new IllegalArgumentException(text);
                                        }))
                .hasMessage("SELEKT 1");
        assertThat(script.<String>next(text -> text)).isEqualTo("SELECT 2");
        assertThat(script.hasNext()).isFalse();
    }

    private static List<String> statements(String text) {
        List<String> statements = new ArrayList<>();
        SqlScript script = new SqlScript(text);
        while (script.hasNext()) {
            statements.add(script.next(SqlScriptTest::parse));
        }
        return statements;
    }

    /** Takes a BEGIN without an END for unfinished, as Flink's parser does. */
    private static String parse(String text) {
        if (text.contains(" BEGIN ") && !text.endsWith("END")) {
            throw new SqlParserEOFException("no END", null);
        }
        return text;
    }
}
