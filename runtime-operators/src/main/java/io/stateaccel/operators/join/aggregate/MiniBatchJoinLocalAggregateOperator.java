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
 * A join that emits, per bundle and group of the aggregate above it, one row (more where the groups
 * of a bundle take more heap than they may) with the grouping key and what the results of the
 * bundle come to there, for the aggregate to merge. So an exchange carries a row per group instead
 * of one per result, and a group that all tasks have results for does not make one of them the
 * bottleneck.
 *
 * <p>Nothing is kept from one bundle to the next but the rows of the join.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchJoinLocalAggregateOperator extends MiniBatchJoinOperator {

    private static final long serialVersionUID = 1L;

    /**
     * @param spec what to join and aggregate, and how
     */
    public MiniBatchJoinLocalAggregateOperator(MiniBatchJoinLocalAggregateSpec spec) {
        super(OperatorKind.JOIN_LOCAL_AGGREGATE, spec.join(), new PartialResults(spec));
    }
}
