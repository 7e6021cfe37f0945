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
package io.stateaccel.planner.sort;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalTemporalSort;

/**
 * Keeps the rows of a sort by row time, which wait for a watermark, on the heap.
 *
 * <pre>
 *   TemporalSort(orderBy=[ts ASC, id ASC])       HeapTemporalSort(orderBy=[ts ASC, id ASC])
 *   +- Exchange(single)                    to    +- Exchange(single)
 *      +- input                                     +- input
 * </pre>
 *
 * <p>Flink gives such a sort neither state TTL nor asynchronous state.
 */
public final class ReplaceTemporalSortWithHeapTemporalSort
        implements AccelerationRule<StreamPhysicalTemporalSort> {

    private static final NodePattern<StreamPhysicalTemporalSort> PATTERN =
            NodePattern.exactly(StreamPhysicalTemporalSort.class);

    @Override
    public NodePattern<StreamPhysicalTemporalSort> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalTemporalSort sort, RuleContext context) {
        final List<RelFieldCollation> columns = sort.getCollation().getFieldCollations();
        final RelDataType first =
                sort.getRowType().getFieldList().get(columns.get(0).getFieldIndex()).getType();
        if (FlinkTypeFactory.isRowtimeIndicatorType(first)) {
            return Decision.replaceBy(new StreamPhysicalHeapTemporalSort(sort, context));
        }
        // By processing time alone rows go on as they come.
        return columns.size() == 1
                ? Decision.hasNoState()
                : Decision.stays(Reason.SORT_BY_PROCESSING_TIME);
    }
}
