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
package io.stateaccel.planner.scenarios;

import io.stateaccel.planner.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** Rows that come and go in a table of two columns. */
final class RandomRows {

    private RandomRows() {}

    /** The rows that are left after some changes, counted. */
    static Map<List<Object>, Integer> liveOf(Queue<Row> changes) {
        final Map<List<Object>, Integer> live = new HashMap<>();
        for (Row change : changes) {
            final boolean adds =
                    change.getKind() == RowKind.INSERT || change.getKind() == RowKind.UPDATE_AFTER;
            live.merge(
                    IntStream.range(0, change.getArity()).mapToObj(change::getField).toList(),
                    adds ? 1 : -1,
                    Integer::sum);
        }
        live.values().removeIf(count -> count == 0);
        return live;
    }

    /**
     * Creates a view of 200 insertions and deletions.
     *
     * @param column beside {@code id}, a BIGINT as well
     */
    static void createSource(Session session, String name, String column, Random random) {
        final List<Row> changes = new ArrayList<>();
        final List<Row> live = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (!live.isEmpty() && random.nextInt(3) == 0) {
                final Row gone = live.remove(random.nextInt(live.size()));
                changes.add(Row.ofKind(RowKind.DELETE, gone.getField("id"), gone.getField(column)));
            } else {
                final long id = random.nextInt(10);
                final long value = random.nextInt(20);
                changes.add(Row.ofKind(RowKind.INSERT, id, value));
                final Row row = Row.withNames();
                row.setField("id", id);
                row.setField(column, value);
                live.add(row);
            }
        }
        session.tables()
                .createTemporaryView(
                        name,
                        session.tables()
                                .fromChangelogStream(
                                        session.environment()
                                                .fromData(
                                                        Types.ROW_NAMED(
                                                                new String[] {"id", column},
                                                                Types.LONG,
                                                                Types.LONG),
                                                        changes.toArray(Row[]::new)),
                                        Schema.newBuilder()
                                                .column("id", "BIGINT NOT NULL")
                                                .column(column, "BIGINT NOT NULL")
                                                .build(),
                                        ChangelogMode.all()));
    }
}
