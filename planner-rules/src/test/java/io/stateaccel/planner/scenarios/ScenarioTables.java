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

import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/** The inputs of {@link Scenario}s, insert-only. */
final class ScenarioTables {

    private ScenarioTables() {}

    static void create(StreamExecutionEnvironment environment, StreamTableEnvironment tables) {
        List<Row> once = IntStream.rangeClosed(1, 10).mapToObj(i -> Row.of(i, i)).toList();
        List<Row> positives = IntStream.rangeClosed(1, 3).mapToObj(i -> Row.of(i, i)).toList();
        List<Row> negatives = IntStream.rangeClosed(1, 3).mapToObj(i -> Row.of(i, -i)).toList();
        create(environment, tables, "once", names("pk", "a"), once);
        create(environment, tables, "positives", names("a", "b"), positives);
        create(environment, tables, "negatives", names("a", "c"), negatives);
    }

    private static void create(
            StreamExecutionEnvironment environment,
            StreamTableEnvironment tables,
            String name,
            String[] columns,
            List<Row> rows) {
        TypeInformation<Row> type = Types.ROW_NAMED(columns, Types.INT, Types.INT);
        tables.createTemporaryView(
                name, tables.fromDataStream(environment.fromData(type, rows.toArray(new Row[0]))));
    }

    private static String[] names(String... names) {
        return names;
    }
}
