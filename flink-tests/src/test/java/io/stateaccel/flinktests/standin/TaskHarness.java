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
package io.stateaccel.flinktests.standin;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/**
 * In place of Flink's harness: tells an operator of a snapshot before its barrier, as a task does,
 * and has one clock for processing time and for times to live, as a task has.
 */
public final class TaskHarness<K, IN, OUT>
        extends KeyedOneInputStreamOperatorTestHarness<K, IN, OUT> {

    /** As Flink's. */
    public TaskHarness(
            OneInputStreamOperator<IN, OUT> operator,
            KeySelector<IN, K> key,
            TypeInformation<K> keyType)
            throws Exception {
        super(operator, key, keyType);
    }

    /** As Flink's. */
    public TaskHarness(
            OneInputStreamOperator<IN, OUT> operator,
            KeySelector<IN, K> key,
            TypeInformation<K> keyType,
            int maxParallelism,
            int parallelism,
            int subtask)
            throws Exception {
        super(operator, key, keyType, maxParallelism, parallelism, subtask);
    }

    @Override
    public OperatorSnapshotFinalizer snapshotWithLocalState(
            long checkpointId, long timestamp, SnapshotType type) throws Exception {
        prepareSnapshotPreBarrier(checkpointId);
        return super.snapshotWithLocalState(checkpointId, timestamp, type);
    }

    @Override
    public void setStateTtlProcessingTime(long time) {
        super.setStateTtlProcessingTime(time);
        try {
            setProcessingTime(time);
        } catch (Exception e) {
            throw new IllegalStateException("A timer failed at " + time, e);
        }
    }
}
