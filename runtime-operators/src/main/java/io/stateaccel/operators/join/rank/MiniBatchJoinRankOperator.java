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
package io.stateaccel.operators.join.rank;

import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.rank.MiniBatchRankOperator;

/**
 * A join and the top-N of its results by join key in one operator: no result is copied, serialised
 * or sent on that is not among the first N of its bundle, and the top-N's rows lie beside those of
 * the join key.
 *
 * <p>Gives the results of {@link MiniBatchJoinOperator}, Flink's calc and {@link
 * MiniBatchRankOperator} one after the other.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchJoinRankOperator extends MiniBatchJoinOperator {

    private static final long serialVersionUID = 1L;

    /**
     * @param spec what to join and rank, and how
     */
    public MiniBatchJoinRankOperator(MiniBatchJoinRankSpec spec) {
        super(OperatorKind.JOIN_RANK, spec.join(), new RankedResults(spec));
    }
}
