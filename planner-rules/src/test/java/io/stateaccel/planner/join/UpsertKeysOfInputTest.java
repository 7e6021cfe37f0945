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
package io.stateaccel.planner.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.PlanFacts;
import io.stateaccel.planner.Session;
import io.stateaccel.views.join.InputChangelog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Joins of a top-N of upserts by {@code (id, p)}, whose rows rise when others are taken out. */
class UpsertKeysOfInputTest {

    private static final String TOP_3 =
            "(SELECT id, p, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY p ORDER BY v)"
                    + " AS rn FROM PARTS) WHERE rn <= 3)";

    private final Session session = session();

    /** In Flink's top-N a row that rises comes by its new number before it goes by its old one. */
    @ParameterizedTest
    @CsvSource({
        "v, single row",
        "rn, unique-key list",
        "rn * 2, counted list",
    })
    void aKeyWithoutTheNumberIsNone(String column, String view) {
        assertThat(view("SELECT id, p, " + column + " AS n FROM " + TOP_3)).isEqualTo(view);
    }

    @Test
    void norIsOneOfAJoinAboveTheTopN() {
        assertThat(view("SELECT T.id, p, rn AS n FROM " + TOP_3 + " T JOIN K ON T.p = K.id"))
                .isEqualTo("unique-key list");
        assertThat(view("SELECT T.id, p, rn + k AS n FROM " + TOP_3 + " T JOIN K ON T.p = K.id"))
                .isEqualTo("counted list");
    }

    /** An aggregate sends the changes of a group one after the other, whatever comes to it. */
    @Test
    void aNodeAboveTheTopNMayHaveAKeyOfItsOwn() {
        String twice = "(SELECT * FROM " + TOP_3 + " UNION ALL SELECT * FROM " + TOP_3 + ")";
        assertThat(view("SELECT id, p, MAX(rn) AS n FROM " + twice + " GROUP BY id, p"))
                .isEqualTo("single row");
    }

    @Test
    void theOrderIsAlwaysTheSame() {
        List<int[]> keys = List.of(new int[] {0, 2}, new int[] {0, 1, 3}, new int[] {0, 1});
        List<int[]> backwards = new ArrayList<>(keys);
        Collections.reverse(backwards);
        for (List<int[]> some : List.of(keys, backwards)) {
            assertThat(UpsertKeysOfInput.of(null, some, new int[] {0}, InputChangelog.INSERT_ONLY))
                    .containsExactly(new int[] {0, 1}, new int[] {0, 2}, new int[] {0, 1, 3});
        }
    }

    /** How the rows of a query are kept that are joined by {@code (id, p)}. */
    private String view(String query) {
        String plan =
                session.physicalPlan(
                        "SELECT ts, MAX(n) FROM A JOIN ("
                                + query
                                + ") T ON A.id = T.id AND A.v = T.p GROUP BY ts");
        int join = plan.indexOf("joinType=[InnerJoin]");
        assertThat(join).as(plan).isNotNegative();
        return plan.substring(join).replaceFirst("(?s).*?rightView=\\[(.*?)\\].*", "$1");
    }

    private static Session session() {
        Session session = Session.accelerated();
        session.tables()
                .createTemporaryView(
                        "PARTS",
                        session.tables()
                                .fromChangelogStream(
                                        session.environment()
                                                .fromData(
                                                        Types.ROW_NAMED(
                                                                new String[] {"id", "p", "v"},
                                                                Types.LONG,
                                                                Types.LONG,
                                                                Types.LONG),
                                                        Row.of(1L, 1L, 1L)),
                                        Schema.newBuilder()
                                                .column("id", DataTypes.BIGINT().notNull())
                                                .column("p", DataTypes.BIGINT().notNull())
                                                .column("v", DataTypes.BIGINT())
                                                .primaryKey("id", "p")
                                                .build(),
                                        PlanFacts.upsert(false)));
        return session;
    }
}
