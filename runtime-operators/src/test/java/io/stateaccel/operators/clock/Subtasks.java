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

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;

/**
 * The sub-tasks of an operator, which may go on from a snapshot with another parallelism.
 *
 * @param <H> one of them
 */
public final class Subtasks<H extends AbstractStreamOperatorTestHarness<RowData>>
        implements AutoCloseable {

    private static final int MAX_PARALLELISM = 16;

    private final List<H> all = new ArrayList<>();

    /** Starts the sub-tasks afresh. */
    public void start(Factory<H> factory, int parallelism) throws Exception {
        start(factory, parallelism, null);
    }

    private void start(Factory<H> factory, int parallelism, OperatorSubtaskState[] states)
            throws Exception {
        for (int i = 0; i < parallelism; i++) {
            H subtask = factory.create(MAX_PARALLELISM, parallelism, i);
            subtask.setup();
            if (states != null) {
                subtask.initializeState(
                        AbstractStreamOperatorTestHarness.repartitionOperatorState(
                                AbstractStreamOperatorTestHarness.repackageState(states),
                                MAX_PARALLELISM,
                                states.length,
                                parallelism,
                                i));
            }
            subtask.open();
            all.add(subtask);
        }
    }

    /** What a checkpoint now has of each sub-task. */
    public OperatorSubtaskState[] snapshot(long checkpoint) throws Exception {
        OperatorSubtaskState[] states = new OperatorSubtaskState[all.size()];
        for (int i = 0; i < states.length; i++) {
            all.get(i).prepareSnapshotPreBarrier(checkpoint);
            states[i] = all.get(i).snapshot(checkpoint, checkpoint);
        }
        return states;
    }

    /** Ends the sub-tasks, and starts others from a snapshot. */
    public void restore(Factory<H> factory, int parallelism, OperatorSubtaskState[] states)
            throws Exception {
        close();
        start(factory, parallelism, states);
    }

    public List<H> all() {
        return all;
    }

    /** The one that gets the rows of a key. */
    public H of(RowData key) {
        return all.get(
                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                        key, MAX_PARALLELISM, all.size()));
    }

    @Override
    public void close() throws Exception {
        for (H subtask : all) {
            subtask.close();
            // Its threads too; it is not always the harness's own.
            subtask.getEnvironment().close();
        }
        all.clear();
    }

    /** Makes sub-tasks that are not set up. */
    @FunctionalInterface
    public interface Factory<H> {
        H create(int maxParallelism, int parallelism, int index) throws Exception;
    }
}
