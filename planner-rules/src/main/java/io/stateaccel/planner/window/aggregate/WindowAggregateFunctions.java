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

import java.time.ZoneId;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.table.planner.codegen.CodeGeneratorContext;
import org.apache.flink.table.planner.codegen.agg.AggsHandlerCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceSharedAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.unslicing.UnsliceAssigner;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Generates the functions of the aggregate of a window, as the stock nodes do, but for one thing:
 * input fields are copied, as accumulators stay on the heap.
 *
 * @param rowType the rows that are aggregated, before a local aggregate if there is one
 * @param namespace what the state knows slices or windows by
 * @param shiftTimeZone of the windows
 */
public record WindowAggregateFunctions<N>(
        PlannerBase planner,
        ExecNodeConfig config,
        RowType rowType,
        AggregateCall[] aggCalls,
        boolean needRetraction,
        WindowingStrategy windowing,
        NamedWindowProperty[] namedWindowProperties,
        WindowAssigner assigner,
        Class<N> namespace,
        ZoneId shiftTimeZone) {

    /**
     * @param viewsInState whether data views are states, or parts of the accumulators
     */
    AggregateInfoList infos(boolean viewsInState) {
        return AggregateUtil.deriveStreamWindowAggregateInfoList(
                planner.getTypeFactory(),
                rowType,
                JavaScalaConversionUtil.toScala(Arrays.asList(aggCalls)),
                needRetraction,
                windowing.getWindow(),
                viewsInState);
    }

    /**
     * Whether accumulators have data views, which in state cannot be merged with serialised ones.
     */
    public static boolean hasViews(AggregateInfoList infos) {
        return infos.distinctInfos().length > 0
                || Stream.of(infos.aggInfos()).anyMatch(info -> info.viewSpecs().length > 0);
    }

    /** Functions that aggregate rows, and slices to windows or sessions to longer ones. */
    GeneratedNamespaceAggsHandleFunction<N> ofRows(AggregateInfoList infos) {
        final AggsHandlerCodeGenerator generator = generator();
        if (assigner instanceof SliceSharedAssigner || assigner instanceof UnsliceAssigner) {
            generator.needMerge(0, false, null);
        }
        if (needRetraction) {
            generator.needRetract();
        }
        return generate("WindowAggsHandler", generator, infos);
    }

    /**
     * Functions that merge accumulators.
     *
     * @param offset of the first field of an accumulator in what is merged
     * @param isLocal whether data views are part of what is merged
     * @param merged the fields of the accumulators that are merged
     */
    GeneratedNamespaceAggsHandleFunction<N> ofAccumulators(
            String name, AggregateInfoList infos, int offset, boolean isLocal, DataType[] merged) {
        return generate(name, generator().needMerge(offset, isLocal, merged), infos);
    }

    private AggsHandlerCodeGenerator generator() {
        return new AggsHandlerCodeGenerator(
                        new CodeGeneratorContext(
                                config, planner.getFlinkContext().getClassLoader()),
                        planner.createRelBuilder(),
                        JavaScalaConversionUtil.toScala(rowType.getChildren()),
                        true)
                .needAccumulate();
    }

    private GeneratedNamespaceAggsHandleFunction<N> generate(
            String name, AggsHandlerCodeGenerator generator, AggregateInfoList infos) {
        return generator.generateNamespaceAggsHandler(
                name,
                infos,
                JavaScalaConversionUtil.toScala(
                        Stream.of(namedWindowProperties)
                                .map(NamedWindowProperty::getProperty)
                                .toList()),
                assigner,
                namespace,
                shiftTimeZone);
    }
}
