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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinScenario.ColumnSelector;
import io.stateaccel.operators.join.JoinScenario.Side;
import io.stateaccel.operators.join.JoinScenario.UniqueKey;
import io.stateaccel.views.join.InputChangelog;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.Test;

/** A snapshot knows an operator by its kind, not by the name of its class. */
class RenamedOperatorTest {

    private static final Side SIDE = new Side(2, 0, UniqueKey.NONE, InputChangelog.INSERT_ONLY, 0);

    @Test
    void goesOnFromTheSnapshotOfItsFormerName() throws Exception {
        OperatorSubtaskState snapshot;
        try (var before = harness(new MiniBatchJoinOperator(spec()))) {
            before.open();
            before.processElement1(new StreamRecord<>(JoinScenario.parse("+I a, left")));
            before.prepareSnapshotPreBarrier(1);
            snapshot = before.snapshot(1, 1);
        }
        try (var after = harness(new Renamed(spec()))) {
            after.initializeState(snapshot);
            after.open();
            after.processElement2(new StreamRecord<>(JoinScenario.parse("+I a, right")));
            after.prepareSnapshotPreBarrier(2);
            assertThat(after.extractOutputValues()).hasSize(1);
        }
    }

    private static MiniBatchJoinSpec spec() {
        return new MiniBatchJoinSpec(
                FlinkJoinType.INNER,
                SIDE.accelerated(),
                SIDE.accelerated(),
                new JoinScenario.NoCondition(),
                new boolean[] {true},
                true,
                new BundleSettings(100, 1000));
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness(MiniBatchJoinOperator operator) throws Exception {
        ColumnSelector key = new ColumnSelector(0);
        return new KeyedTwoInputStreamOperatorTestHarness<>(
                operator, key, key, key.getProducedType());
    }

    private static final class Renamed extends MiniBatchJoinOperator {

        private static final long serialVersionUID = 1L;

        Renamed(MiniBatchJoinSpec spec) {
            super(spec);
        }
    }
}
