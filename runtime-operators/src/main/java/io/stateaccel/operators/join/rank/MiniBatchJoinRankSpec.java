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

import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.ResultCalc;
import io.stateaccel.operators.rank.MiniBatchRankSpec;
import java.io.Serializable;
import javax.annotation.Nullable;

/**
 * Everything a {@link MiniBatchJoinRankOperator} is made of.
 *
 * @param join the join
 * @param calc projects and filters the join's results; null when they are ranked as they are
 * @param rank the top-N, each of whose partitions has the results of one join key, all of them
 */
public record MiniBatchJoinRankSpec(
        MiniBatchJoinSpec join, @Nullable ResultCalc calc, MiniBatchRankSpec rank)
        implements Serializable {}
