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
package io.stateaccel.planner.stock;

import static java.util.Map.entry;

import io.stateaccel.planner.reasons.Reason;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRel;

/**
 * The stateful nodes of Flink that no rule replaces, and why each of them stays stock. They are
 * known by name, because no version of Flink has all of them: {@code DeltaJoin}, {@code MultiJoin}
 * and {@code ProcessTableFunction} are there from 2.1 on.
 */
final class StatefulNodes {

    private static final String PREFIX =
            StreamPhysicalRel.class.getPackageName() + ".StreamPhysical";

    /** By the name behind {@code StreamPhysical}. */
    private static final Map<String, Reason> REASONS =
            Map.ofEntries(
                    entry("DeltaJoin", Reason.DELTA_JOIN),
                    entry("GlobalGroupAggregate", Reason.BUNDLED_BY_FLINK),
                    entry("IncrementalGroupAggregate", Reason.BUNDLED_BY_FLINK),
                    entry("LookupJoin", Reason.LOOKUP_MATERIALIZER),
                    entry("Match", Reason.PATTERN_MATCH),
                    entry("MultiJoin", Reason.MULTI_JOIN),
                    entry("ProcessTableFunction", Reason.PROCESS_TABLE_FUNCTION),
                    entry("PythonGroupAggregate", Reason.PYTHON_AGGREGATE),
                    entry("PythonGroupTableAggregate", Reason.PYTHON_AGGREGATE),
                    entry("PythonGroupWindowAggregate", Reason.PYTHON_AGGREGATE),
                    entry("PythonOverAggregate", Reason.PYTHON_OVER),
                    entry("Sort", Reason.SORT_AT_THE_END));

    private StatefulNodes() {}

    /** Their classes, whether this Flink has them or not. */
    static Set<String> classNames() {
        return REASONS.keySet().stream()
                .map(name -> PREFIX + name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * @param node of one of {@link #classNames}
     */
    static Reason reasonOf(RelNode node) {
        return REASONS.get(node.getClass().getName().substring(PREFIX.length()));
    }
}
