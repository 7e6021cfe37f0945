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
package io.stateaccel.planner;

import io.stateaccel.planner.aggregate.StreamExecCachedGroupAggregate;
import io.stateaccel.planner.fused.aggregate.StreamExecGroupAggregateOfPartials;
import io.stateaccel.planner.fused.aggregate.StreamExecMiniBatchJoinAggregate;
import io.stateaccel.planner.fused.aggregate.StreamExecMiniBatchJoinLocalAggregate;
import io.stateaccel.planner.fused.topn.StreamExecMiniBatchJoinRank;
import io.stateaccel.planner.join.StreamExecMiniBatchJoin;
import io.stateaccel.planner.join.interval.StreamExecMiniBatchIntervalJoin;
import io.stateaccel.planner.join.temporal.StreamExecMiniBatchTemporalJoin;
import io.stateaccel.planner.normalize.StreamExecMiniBatchChangelogNormalize;
import io.stateaccel.planner.over.StreamExecMiniBatchOverAggregate;
import io.stateaccel.planner.over.StreamExecMiniBatchProcessingTimeOverAggregate;
import io.stateaccel.planner.sink.StreamExecHeapSink;
import io.stateaccel.planner.sink.StreamExecMiniBatchSink;
import io.stateaccel.planner.sort.StreamExecHeapTemporalSort;
import io.stateaccel.planner.topn.StreamExecMiniBatchDeduplicate;
import io.stateaccel.planner.topn.StreamExecMiniBatchLimit;
import io.stateaccel.planner.topn.StreamExecMiniBatchRank;
import io.stateaccel.planner.topn.StreamExecMiniBatchSortLimit;
import io.stateaccel.planner.window.aggregate.StreamExecHeapGlobalWindowAggregate;
import io.stateaccel.planner.window.aggregate.StreamExecHeapWindowAggregate;
import io.stateaccel.planner.window.group.StreamExecHeapGroupWindowAggregate;
import io.stateaccel.planner.window.join.StreamExecHeapWindowJoin;
import io.stateaccel.planner.window.session.StreamExecHeapWindowTableFunction;
import io.stateaccel.planner.window.topn.StreamExecHeapWindowDeduplicate;
import io.stateaccel.planner.window.topn.StreamExecHeapWindowRank;
import java.util.Collection;
import java.util.List;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.utils.ExecNodeMetadataUtil;

/**
 * The exec nodes of ours that compiled plans have, and the registry by which Flink finds them when
 * it reads one.
 */
final class CompiledNodes {

    /** All of them. */
    static final List<Class<? extends ExecNode<?>>> ALL =
            List.of(
                    StreamExecMiniBatchJoin.class,
                    StreamExecMiniBatchJoinAggregate.class,
                    StreamExecMiniBatchJoinLocalAggregate.class,
                    StreamExecGroupAggregateOfPartials.class,
                    StreamExecMiniBatchJoinRank.class,
                    StreamExecMiniBatchIntervalJoin.class,
                    StreamExecMiniBatchTemporalJoin.class,
                    StreamExecCachedGroupAggregate.class,
                    StreamExecMiniBatchRank.class,
                    StreamExecMiniBatchSortLimit.class,
                    StreamExecMiniBatchLimit.class,
                    StreamExecMiniBatchDeduplicate.class,
                    StreamExecMiniBatchChangelogNormalize.class,
                    StreamExecMiniBatchSink.class,
                    StreamExecHeapSink.class,
                    StreamExecMiniBatchOverAggregate.class,
                    StreamExecMiniBatchProcessingTimeOverAggregate.class,
                    StreamExecHeapTemporalSort.class,
                    StreamExecHeapWindowAggregate.class,
                    StreamExecHeapGlobalWindowAggregate.class,
                    StreamExecHeapGroupWindowAggregate.class,
                    StreamExecHeapWindowRank.class,
                    StreamExecHeapWindowDeduplicate.class,
                    StreamExecHeapWindowJoin.class,
                    StreamExecHeapWindowTableFunction.class);

    private CompiledNodes() {}

    /**
     * Makes the nodes known to the planner, whether the acceleration is switched on or not: a plan
     * that was compiled with it runs with it. Doing so twice is harmless.
     */
    static void register() {
        // Whoever else changes Flink's registry does so while its class is loaded.
        synchronized (ExecNodeMetadataUtil.class) {
            ALL.forEach(CompiledNodes::register);
        }
    }

    private static void register(Class<? extends ExecNode<?>> node) {
        final Collection<Class<? extends ExecNode<?>>> known =
                ExecNodeMetadataUtil.getVersionedExecNodes().values();
        if (known.contains(node)) {
            return;
        }
        // Another class loader's copy, which would be kept with all that it has loaded: programs
        // that bring the jar along do so each with a class loader of its own.
        known.removeIf(other -> other.getName().equals(node.getName()));
        ExecNodeMetadataUtil.addTestNode(node);
    }
}
