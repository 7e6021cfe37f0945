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
package io.stateaccel.planner.fused;

import io.stateaccel.operators.join.ResultCalc;
import java.util.List;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonInclude;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.calcite.FlinkTypeSystem;
import org.apache.flink.table.planner.codegen.CalcCodeGenerator$;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.runtime.generated.GeneratedFunction;
import org.apache.flink.table.types.logical.RowType;
import scala.Option;

/**
 * What becomes of the results of a join before they go on in the same operator. Compiled plans have
 * it.
 *
 * @param joinedType results of the join
 * @param calc as planned; null when they go on as they are
 * @param outputType what goes on
 */
public record JoinProjection(
        @JsonProperty("joinedType") RowType joinedType,
        @Nullable @JsonProperty("calc") @JsonInclude(JsonInclude.Include.NON_NULL)
                CalcExpressions calc,
        @JsonProperty("outputType") RowType outputType) {

    /** Where compiled plans have it. */
    public static final String FIELD_NAME = "projection";

    /** What is done at run time; null when there is nothing to do. */
    @Nullable
    public ResultCalc generate(ExecNodeConfig config, ClassLoader classLoader) {
        if (calc == null) {
            return null;
        }
        if (!calc.projection().stream().allMatch(RexInputRef.class::isInstance)) {
            return new ResultCalc(
                    generate(calc.projection(), outputType, config, classLoader), null);
        }
        // What the join gives is looked at through these columns. A function would copy each.
        final int[] columns =
                calc.projection().stream()
                        .mapToInt(column -> ((RexInputRef) column).getIndex())
                        .toArray();
        return new ResultCalc(
                calc.condition() == null
                        ? null
                        : generate(allColumns(classLoader), joinedType, config, classLoader),
                columns);
    }

    /** With them a function filters only. */
    private List<RexNode> allColumns(ClassLoader classLoader) {
        final RelDataType type =
                new FlinkTypeFactory(classLoader, FlinkTypeSystem.INSTANCE)
                        .buildRelNodeRowType(joinedType);
        return IntStream.range(0, joinedType.getFieldCount())
                .<RexNode>mapToObj(column -> RexInputRef.of(column, type))
                .toList();
    }

    private GeneratedFunction<FlatMapFunction<RowData, RowData>> generate(
            List<RexNode> projection,
            RowType resultType,
            ExecNodeConfig config,
            ClassLoader classLoader) {
        return CalcCodeGenerator$.MODULE$.generateFunction(
                joinedType,
                "FusedJoinCalc",
                resultType,
                GenericRowData.class,
                JavaScalaConversionUtil.toScala(projection),
                Option.apply(calc.condition()),
                config,
                classLoader);
    }
}
