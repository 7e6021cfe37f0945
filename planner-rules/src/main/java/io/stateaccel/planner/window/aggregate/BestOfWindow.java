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
package io.stateaccel.planner.window.aggregate;

import io.stateaccel.operators.window.aggregate.BestResultsSpec;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.planner.codegen.sort.ComparatorCodeGenerator;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.spec.SortSpec;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Which results of a window aggregate anything is made of: those with the highest or the lowest
 * value.
 *
 * @param groups the columns that results have in common which are compared, the end of the window
 *     among them
 * @param column the one with the value
 * @param isHighest whether the highest value is the best, otherwise the lowest
 */
record BestOfWindow(
        @JsonProperty("groups") int[] groups,
        @JsonProperty("column") int column,
        @JsonProperty("isHighest") boolean isHighest) {

    /**
     * @param config of the node
     * @param type the results
     */
    BestResultsSpec spec(ExecNodeConfig config, ClassLoader classLoader, RowType type) {
        // NULL is the worst.
        final SortSpec order = SortSpec.builder().addField(column, isHighest, false).build();
        return new BestResultsSpec(
                InternalTypeInfo.of(type),
                KeySelectorUtil.getRowDataSelector(classLoader, groups, InternalTypeInfo.of(type)),
                ComparatorCodeGenerator.gen(config, classLoader, "BestResults", type, order));
    }

    /**
     * Has EXPLAIN show it.
     *
     * @param best null for all results
     */
    static RelWriter explain(RelWriter writer, @Nullable BestOfWindow best, RelDataType results) {
        return best == null ? writer : writer.item("results", best.text(results.getFieldNames()));
    }

    private String text(List<String> columns) {
        return Arrays.stream(groups)
                .mapToObj(columns::get)
                .collect(
                        Collectors.joining(
                                ", ",
                                (isHighest ? "highest " : "lowest ") + columns.get(column) + " of ",
                                ""));
    }
}
