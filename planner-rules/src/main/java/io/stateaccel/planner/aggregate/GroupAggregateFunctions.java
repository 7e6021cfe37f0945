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
package io.stateaccel.planner.aggregate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.codegen.CodeGeneratorContext;
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.codegen.agg.AggsHandlerCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.spec.OverSpec;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.runtime.generated.AggsHandleFunctionBase;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedClass;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.generated.GeneratedTableAggsHandleFunction;
import org.apache.flink.table.runtime.types.LogicalTypeDataTypeConverter;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The generated functions of a group aggregate, or of an OVER aggregate.
 *
 * @param generated aggregates rows, or merges the accumulators of a local aggregate
 * @param aggregates what they were generated from
 * @param <F> of one row per group, or of a table aggregate
 */
public record GroupAggregateFunctions<F extends GeneratedClass<? extends AggsHandleFunctionBase>>(
        F generated, AggregateInfoList aggregates) {

    /**
     * Functions that aggregate rows, and retract them where needed.
     *
     * @param inputType the rows
     * @param needRetraction whether rows may be retracted
     */
    public static GroupAggregateFunctions<GeneratedAggsHandleFunction> ofRows(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            AggregateCall[] aggCalls,
            boolean[] aggCallNeedRetractions,
            boolean needRetraction) {
        final AggregateInfoList aggregates =
                infos(planner, inputType, aggCalls, aggCallNeedRetractions, needRetraction, true);
        return new GroupAggregateFunctions<>(
                rowsGenerator(planner, config, inputType, needRetraction)
                        .generateAggsHandler("GroupAggsHandler", aggregates),
                aggregates);
    }

    /**
     * A table aggregate of rows.
     *
     * @param inputType the rows
     */
    public static GroupAggregateFunctions<GeneratedTableAggsHandleFunction> ofTable(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            Aggregation aggregation) {
        final AggregateInfoList aggregates =
                infos(
                        planner,
                        inputType,
                        aggregation.aggCalls(),
                        aggregation.aggCallNeedRetractions(),
                        aggregation.needRetraction(),
                        true);
        return new GroupAggregateFunctions<>(
                rowsGenerator(planner, config, inputType, aggregation.needRetraction())
                        .generateTableAggsHandler("GroupTableAggHandler", aggregates),
                aggregates);
    }

    /**
     * Functions that aggregate rows into accumulators for {@link #ofPartials}, whose data views are
     * on the heap and part of the accumulators.
     *
     * @param inputType the rows
     * @param needRetraction whether rows may be retracted
     */
    public static GroupAggregateFunctions<GeneratedAggsHandleFunction> ofRowsLocally(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            AggregateCall[] aggCalls,
            boolean[] aggCallNeedRetractions,
            boolean needRetraction) {
        final AggregateInfoList aggregates =
                infos(planner, inputType, aggCalls, aggCallNeedRetractions, needRetraction, false);
        return new GroupAggregateFunctions<>(
                rowsGenerator(planner, config, inputType, needRetraction)
                        .generateAggsHandler("LocalGroupAggsHandler", aggregates),
                aggregates);
    }

    /**
     * Functions that merge accumulators of {@link #ofRowsLocally}. A data view in state cannot be
     * merged with one that is serialised, so they are merged on the heap first, and what that comes
     * to with those in state, as in Flink's {@code StreamExecGlobalGroupAggregate}.
     *
     * @param rowType the rows that were aggregated
     * @param offset of the accumulator's first field in what is merged
     * @param needRetraction whether rows may be retracted
     * @param viewsInState whether what they are merged into has its data views in state
     */
    public static GroupAggregateFunctions<GeneratedAggsHandleFunction> ofPartials(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType rowType,
            int offset,
            AggregateCall[] aggCalls,
            boolean[] aggCallNeedRetractions,
            boolean needRetraction,
            boolean viewsInState) {
        final AggregateInfoList aggregates =
                infos(
                        planner,
                        rowType,
                        aggCalls,
                        aggCallNeedRetractions,
                        needRetraction,
                        viewsInState);
        final AggregateInfoList partials =
                infos(planner, rowType, aggCalls, aggCallNeedRetractions, needRetraction, false);
        return new GroupAggregateFunctions<>(
                generator(planner, config, rowType)
                        .needMerge(offset, true, partials.getAccTypes())
                        .generateAggsHandler("PartialGroupAggsHandler", aggregates),
                aggregates);
    }

    /**
     * Functions of an OVER aggregate, which take their constants with them.
     *
     * @param inputType the rows
     * @param rowsLeave whether rows leave the frames, so that they are retracted
     */
    public static GroupAggregateFunctions<GeneratedAggsHandleFunction> ofFrames(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            OverSpec over,
            boolean rowsLeave) {
        final AggregateCall[] aggCalls =
                over.getGroups().get(0).getAggCalls().toArray(AggregateCall[]::new);
        final boolean[] needRetractions = new boolean[aggCalls.length];
        Arrays.fill(needRetractions, rowsLeave);
        final AggregateInfoList aggregates =
                infos(
                        planner,
                        withConstants(inputType, over.getConstants()),
                        aggCalls,
                        needRetractions,
                        rowsLeave,
                        true);
        return new GroupAggregateFunctions<>(
                rowsGenerator(planner, config, inputType, rowsLeave)
                        .withConstants(JavaScalaConversionUtil.toScala(over.getConstants()))
                        .generateAggsHandler("OverAggsHandler", aggregates),
                aggregates);
    }

    private static RowType withConstants(RowType inputType, List<RexLiteral> constants) {
        final List<String> names = new ArrayList<>(inputType.getFieldNames());
        final List<LogicalType> types = new ArrayList<>(inputType.getChildren());
        for (int i = 0; i < constants.size(); i++) {
            names.add("TMP" + i);
            types.add(FlinkTypeFactory.toLogicalType(constants.get(i).getType()));
        }
        return RowType.of(types.toArray(LogicalType[]::new), names.toArray(String[]::new));
    }

    private static AggregateInfoList infos(
            PlannerBase planner,
            RowType rowType,
            AggregateCall[] aggCalls,
            boolean[] aggCallNeedRetractions,
            boolean needRetraction,
            boolean viewsInState) {
        return AggregateUtil.transformToStreamAggregateInfoList(
                planner.getTypeFactory(),
                rowType,
                JavaScalaConversionUtil.toScala(Arrays.asList(aggCalls)),
                aggCallNeedRetractions,
                needRetraction,
                viewsInState,
                true);
    }

    private static AggsHandlerCodeGenerator rowsGenerator(
            PlannerBase planner, ExecNodeConfig config, RowType rowType, boolean needRetraction) {
        final AggsHandlerCodeGenerator generator =
                generator(planner, config, rowType).needAccumulate();
        return needRetraction ? generator.needRetract() : generator;
    }

    /** Input fields are copied, as in the stock node: the heap backend keeps references. */
    private static AggsHandlerCodeGenerator generator(
            PlannerBase planner, ExecNodeConfig config, RowType rowType) {
        return new AggsHandlerCodeGenerator(
                new CodeGeneratorContext(config, planner.getFlinkContext().getClassLoader()),
                planner.createRelBuilder(),
                JavaScalaConversionUtil.toScala(rowType.getChildren()),
                true);
    }

    /** Compares two results. */
    public GeneratedRecordEqualiser equaliser(ClassLoader classLoader) {
        return new EqualiserCodeGenerator(
                        logicalTypes(aggregates.getActualValueTypes()), classLoader)
                .generateRecordEqualiser("GroupAggValueEqualiser");
    }

    public LogicalType[] accumulatorTypes() {
        return logicalTypes(aggregates.getAccTypes());
    }

    // Deprecated, but the stock node's: accumulators of old functions have legacy types.
    @SuppressWarnings("deprecation")
    private static LogicalType[] logicalTypes(DataType[] types) {
        return Stream.of(types)
                .map(LogicalTypeDataTypeConverter::fromDataTypeToLogicalType)
                .toArray(LogicalType[]::new);
    }
}
