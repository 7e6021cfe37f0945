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
package io.stateaccel.tests.differential;

import io.stateaccel.tests.differential.QueryGenerator.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;

/**
 * What a query means: what stock Flink makes of the tables as they are in the end, in batch mode,
 * where there are no changes to get wrong.
 */
final class BatchResult {

    private BatchResult() {}

    /** Whether the query asks for the order in which rows come, which batch mode does not know. */
    static boolean dependsOnOrder(DifferentialCase testCase) {
        return testCase.query().sql().contains("PROCTIME()");
    }

    /**
     * Returns how often each row is in the result; empty where batch mode has no plan, as of joins
     * with versions, session windows and distinct values in OVER.
     */
    static Optional<Map<String, Integer>> of(DifferentialCase testCase) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        for (TestTable table : testCase.tables()) {
            tables.createTemporaryView(
                    table.name(),
                    tables.fromDataStream(stream(environment, table), table.schema()));
        }
        DataStream<Row> result;
        try {
            result = tables.toDataStream(testCase.query().in(tables));
        } catch (RuntimeException | AssertionError e) {
            // The planner throws many kinds of errors.
            if (Shape.byTime().contains(testCase.shape())) {
                return Optional.empty();
            }
            throw e;
        }
        Map<String, Integer> rows = new TreeMap<>();
        try (CloseableIterator<Row> iterator = result.executeAndCollect()) {
            iterator.forEachRemaining(row -> rows.merge(row.toString(), 1, Integer::sum));
        }
        return Optional.of(rows);
    }

    private static DataStream<Row> stream(StreamExecutionEnvironment environment, TestTable table) {
        List<Row> rows = finalRows(table);
        if (rows.isEmpty()) {
            // Flink has no stream of no rows.
            return environment
                    .fromData(List.of(table.changelog().get(0)), table.typeInformation())
                    .filter(row -> false);
        }
        return environment.fromData(rows, table.typeInformation());
    }

    /** Of an upsert the last one by its key, else what was added and not taken back. */
    private static List<Row> finalRows(TestTable table) {
        boolean byKey = table.changes().needsPrimaryKey();
        List<String> names = table.fields().stream().map(Field::name).toList();
        int[] positions = table.primaryKey().stream().mapToInt(names::indexOf).toArray();
        Map<Row, List<Row>> rows = new LinkedHashMap<>();
        for (Row change : table.changelog()) {
            Row row = Row.copy(change);
            row.setKind(RowKind.INSERT);
            Row known = byKey ? Row.project(row, positions) : row;
            List<Row> same = rows.computeIfAbsent(known, ignored -> new ArrayList<>());
            boolean adds = MaterializeOperator.adds(change);
            if (byKey) {
                same.clear();
            } else if (!adds) {
                same.remove(same.size() - 1);
            }
            if (adds) {
                same.add(row);
            }
        }
        return rows.values().stream().flatMap(Collection::stream).toList();
    }
}
