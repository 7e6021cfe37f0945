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

import org.junit.jupiter.api.Test;

class SqlScriptTest {

    @Test
    void splitsAtSemicolons() {
        assertThat(SqlScript.statements(" SELECT 1 ;\n\n;SELECT\n2"))
                .containsExactly("SELECT 1", "SELECT\n2");
        assertThat(SqlScript.statements(" ;\n-- nothing")).isEmpty();
    }

    @Test
    void notWithinQuotesAndComments() {
        assertThat(
                        SqlScript.statements(
                                "SELECT ';--', 'it''s; one', `a;b` -- one; two\n"
                                        + "FROM /* three; ' */ t; SELECT \"x;\""))
                .containsExactly("SELECT ';--', 'it''s; one', `a;b`  FROM   t", "SELECT \"x;\"");
    }

    @Test
    void hintsAreNoComments() {
        assertThat(SqlScript.statements("SELECT /*+ STATE_TTL('a'='1;') */ 1 /* x */;"))
                .containsExactly("SELECT /*+ STATE_TTL('a'='1;') */ 1");
    }

    @Test
    void whatDoesNotEndGoesToTheEnd() {
        assertThat(SqlScript.statements("SELECT 'a;b")).containsExactly("SELECT 'a;b");
        assertThat(SqlScript.statements("SELECT 1 /* a;b")).containsExactly("SELECT 1");
    }

    @Test
    void aStatementSetIsOneStatementInEitherForm() {
        String set =
                "EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2;\nEND";

        assertThat(
                        SqlScript.statements(
                                "SELECT 0; begin statement  set; INSERT INTO a SELECT 1;"
                                        + "INSERT INTO b SELECT 2; end; SELECT 3"))
                .containsExactly("SELECT 0", set, "SELECT 3");
        assertThat(
                        SqlScript.statements(
                                "EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT 1;\n"
                                        + "INSERT INTO b SELECT 2;\nEND;\nSELECT 3"))
                .containsExactly(set, "SELECT 3");
    }

    @Test
    void aSetThatDoesNotEndIsLeftToFlink() {
        assertThat(SqlScript.statements("BEGIN STATEMENT SET; INSERT INTO a SELECT 1;"))
                .containsExactly("EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT 1;\n");
    }
}
