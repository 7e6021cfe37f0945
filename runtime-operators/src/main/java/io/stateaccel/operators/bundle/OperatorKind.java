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

/**
 * The kinds of accelerated operators, by which a snapshot tells whose state it holds. The ids are
 * part of snapshots and may never change, whatever becomes of the classes that they were the names
 * of in 0.1.0; a test has the list of them.
 */
public enum OperatorKind {
    JOIN("MiniBatchJoinOperator"),
    JOIN_AGGREGATE("MiniBatchJoinAggregateOperator"),
    JOIN_LOCAL_AGGREGATE("MiniBatchJoinLocalAggregateOperator"),
    JOIN_RANK("MiniBatchJoinRankOperator"),
    INTERVAL_JOIN("MiniBatchIntervalJoinOperator"),
    PROCESSING_TIME_INTERVAL_JOIN("ProcessingTimeIntervalJoinOperator"),
    TEMPORAL_JOIN("MiniBatchTemporalJoinOperator"),
    GROUP_AGGREGATE("CachedGroupAggregateOperator"),
    RANK("MiniBatchRankOperator"),
    DEDUPLICATE("MiniBatchDeduplicateOperator"),
    CHANGELOG_NORMALIZE("MiniBatchChangelogNormalizeOperator"),
    SINK_MATERIALIZER("MiniBatchSinkMaterializerOperator"),
    OVER("RowTimeOverOperator"),
    UNBOUNDED_PROCESSING_TIME_OVER("UnboundedProcessingTimeOverOperator"),
    PROCESSING_TIME_OVER("BoundedProcessingTimeOverOperator"),
    FIRST_ROW("RowTimeFirstRowOperator");

    private final String id;

    OperatorKind(String id) {
        this.id = id;
    }

    /** As snapshots have it. */
    public String id() {
        return id;
    }
}
