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
package io.stateaccel.operators.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OperatorKindTest {

    /**
     * What snapshots have. Constants and classes may be renamed; a new kind is added; none of these
     * is changed, as that refuses the savepoints of users.
     */
    @Test
    void idsAreThoseOfTheFirstRelease() {
        assertThat(Stream.of(OperatorKind.values()).map(OperatorKind::id))
                .containsExactlyInAnyOrder(
                        "MiniBatchJoinOperator",
                        "MiniBatchJoinAggregateOperator",
                        "MiniBatchJoinLocalAggregateOperator",
                        "MiniBatchJoinRankOperator",
                        "MiniBatchIntervalJoinOperator",
                        "ProcessingTimeIntervalJoinOperator",
                        "MiniBatchTemporalJoinOperator",
                        "CachedGroupAggregateOperator",
                        "MiniBatchRankOperator",
                        "MiniBatchDeduplicateOperator",
                        "MiniBatchChangelogNormalizeOperator",
                        "MiniBatchSinkMaterializerOperator",
                        "RowTimeOverOperator",
                        "UnboundedProcessingTimeOverOperator",
                        "BoundedProcessingTimeOverOperator",
                        "RowTimeFirstRowOperator");
    }
}
