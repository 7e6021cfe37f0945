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
package io.stateaccel.flink.planner;

import javax.annotation.Nullable;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.logical.WindowAttachedWindowingStrategy;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.metadata.FlinkRelMetadataQuery;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowDeduplicate;
import org.apache.flink.table.planner.plan.trait.RelWindowProperties;

/**
 * Reads a {@link StreamPhysicalWindowDeduplicate}, which before 2.1 tells its windows in EXPLAIN
 * alone: they are derived from the input, and taken if EXPLAIN says the same of them.
 */
public final class WindowDeduplicateRel {

    private WindowDeduplicateRel() {}

    /** The windows of its rows; null where this is not known for sure. */
    @Nullable
    public static WindowingStrategy windowingOf(StreamPhysicalWindowDeduplicate deduplicate) {
        RelNode input = deduplicate.getInput();
        RelWindowProperties windows =
                FlinkRelMetadataQuery.reuseOrCreate(deduplicate.getCluster().getMetadataQuery())
                        .getRelWindowProperties(input);
        if (windows == null
                || windows.getWindowStartColumns().isEmpty()
                || windows.getWindowEndColumns().isEmpty()) {
            return null;
        }
        WindowingStrategy windowing =
                new WindowAttachedWindowingStrategy(
                        windows.getWindowSpec(),
                        windows.getTimeAttributeType(),
                        windows.getWindowStartColumns().nextSetBit(0),
                        windows.getWindowEndColumns().nextSetBit(0));
        String summary =
                windowing.toSummaryString(
                        input.getRowType().getFieldNames().toArray(String[]::new));
        return summary.equals(ExplainedTerms.of(deduplicate, "window")) ? windowing : null;
    }
}
