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
package io.stateaccel.operators.clock;

import io.stateaccel.operators.clock.ClockedScript.Arrival;
import io.stateaccel.operators.clock.ClockedScript.Bundle;
import java.util.List;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;

/** A script that is played by an operator of ours or of Flink's, which may take turns. */
public final class ClockedRun implements AutoCloseable {

    private final Operators operators;
    private final ClockedSubtasks subtasks;
    private boolean isOurs;

    /**
     * @param isOurs which operator begins
     * @param backend {@code rocksdb} or {@code hashmap}
     */
    public ClockedRun(
            Operators operators, boolean isOurs, RowDataKeySelector keySelector, String backend)
            throws Exception {
        this.operators = operators;
        this.isOurs = isOurs;
        this.subtasks =
                new ClockedSubtasks(() -> operators.create(isOurs), keySelector, backend, 0);
    }

    public boolean isOurs() {
        return isOurs;
    }

    public ClockedSubtasks subtasks() {
        return subtasks;
    }

    /** The other operator, or the same, goes on from a snapshot. */
    public void restore(boolean asOurs, int parallelism, long time) throws Exception {
        isOurs = asOurs;
        subtasks.restore(() -> operators.create(asOurs), parallelism, time);
    }

    /**
     * What a bundle has emitted. Its rows come to ours when they do, and to Flink's at the flush.
     */
    public List<RowData> process(Bundle bundle) throws Exception {
        for (Arrival arrival : bundle.rows()) {
            subtasks.at(isOurs ? arrival.time() : bundle.flushedAt());
            subtasks.process(arrival.row().copy());
        }
        subtasks.at(bundle.flushedAt());
        return subtasks.flush();
    }

    @Override
    public void close() throws Exception {
        subtasks.close();
    }

    /** Makes operators. */
    @FunctionalInterface
    public interface Operators {
        OneInputStreamOperator<RowData, RowData> create(boolean ours);
    }
}
