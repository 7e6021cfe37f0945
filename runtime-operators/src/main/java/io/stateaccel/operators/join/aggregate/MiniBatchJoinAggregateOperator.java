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
package io.stateaccel.operators.join.aggregate;

import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.join.MiniBatchJoinOperator;

/**
 * A join and the group aggregate above it in one operator, where every group lies within one join
 * key: the results of the join are projected and aggregated as they come, without an exchange, a
 * serialisation and a changelog in between, and the accumulators lie beside the rows of the join
 * key.
 *
 * <p>Gives the results of {@link MiniBatchJoinOperator}, Flink's calc and {@code GroupAggFunction}
 * one after the other. Of what the bundle changes in a group only the last is emitted, unless a
 * join key has more groups than the heap may hold: these are worked off while the key is joined,
 * and a group whose row is taken away in one part and comes back in another is seen without it.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchJoinAggregateOperator extends MiniBatchJoinOperator {

    private static final long serialVersionUID = 1L;

    /**
     * @param spec what to join and aggregate, and how
     */
    public MiniBatchJoinAggregateOperator(MiniBatchJoinAggregateSpec spec) {
        super(OperatorKind.JOIN_AGGREGATE, spec.join(), new AggregatedResults(spec));
    }
}
