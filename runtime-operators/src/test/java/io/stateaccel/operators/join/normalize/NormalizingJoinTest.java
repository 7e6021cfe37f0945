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
package io.stateaccel.operators.join.normalize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.flink.testing.TestCondition;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinSideSpec;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.layout.StateRefusedException;
import io.stateaccel.views.time.TimeToLive;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NormalizingJoinTest {

    private static final JoinCase.Selector KEY = new JoinCase.Selector(JoinCase.KEY);
    private static final TimeToLive AN_HOUR = new TimeToLive(3_600_000);

    /** Each kept with the rows of the key, of which the other would have none. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesRowsOfAnInputThatComesNormalised(boolean normalizedBefore) throws Exception {
        OperatorSubtaskState snapshot;
        try (var before = harness(normalizedBefore ? normalized(null) : null, FlinkJoinType.LEFT)) {
            before.open();
            before.processElement1(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            before.prepareSnapshotPreBarrier(1);
            snapshot = before.snapshot(1, 1);
        }
        try (var after = harness(normalizedBefore ? null : normalized(null), FlinkJoinType.LEFT)) {
            after.setup();
            after.initializeState(snapshot);
            assertThatThrownBy(after::open)
                    .isInstanceOf(StateRefusedException.class)
                    .hasMessageContaining("'left-records'")
                    .hasMessageContaining(
                            normalizedBefore
                                    ? "Found in the snapshot: single row of a normalised input,"
                                    : "Expected: single row of a normalised input,");
        }
    }

    /** The watermark of the input itself, which may be far ahead of the join's. */
    @Test
    void theConditionKnowsTheWatermarkOfItsInput() throws Exception {
        Lines.assumeAtLeast("2.1", "Conditions within the normalisation");
        try (var join =
                harness(
                        normalized(TestCondition.aboveWatermark(JoinCase.ID)),
                        FlinkJoinType.LEFT)) {
            join.open();
            join.processElement1(new StreamRecord<>(JoinCase.row("a", 5, 1)));
            join.processWatermark1(new Watermark(10));
            join.processWatermark2(new Watermark(3));
            join.processElement1(new StreamRecord<>(JoinCase.row("b", 5, 1)));
            join.processElement1(new StreamRecord<>(JoinCase.row("c", 11, 1)));
            join.prepareSnapshotPreBarrier(1);
            assertThat(join.extractOutputValues())
                    .extracting(row -> row.getString(JoinCase.KEY).toString())
                    .containsExactlyInAnyOrder("a", "c");
        }
    }

    @Test
    void failsWhereAPrimaryKeyIsNull() throws Exception {
        try (var join = harness(normalized(null), FlinkJoinType.LEFT)) {
            join.open();
            assertThatThrownBy(
                            () ->
                                    join.processElement1(
                                            new StreamRecord<>(JoinCase.row(null, 1, 1))))
                    .hasMessageContaining("primary key");
        }
    }

    @Test
    void hasRowsThatDoNotExpire() {
        for (boolean isLeft : new boolean[] {true, false}) {
            assertThatThrownBy(
                            () ->
                                    spec(
                                            FlinkJoinType.INNER,
                                            side(normalized(null), isLeft ? AN_HOUR : null),
                                            side(null, isLeft ? null : AN_HOUR)))
                    .hasMessageContaining("cannot have a state TTL");
        }
        assertThat(spec(FlinkJoinType.INNER, side(null, AN_HOUR), side(null, null)).left().ttl())
                .isEqualTo(AN_HOUR);
    }

    private static NormalizedInput normalized(@Nullable GeneratedFilterCondition condition) {
        return new NormalizedInput(true, condition, new RowEqualiser());
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness(@Nullable NormalizedInput left, FlinkJoinType type) throws Exception {
        return new KeyedTwoInputStreamOperatorTestHarness<>(
                new MiniBatchJoinOperator(spec(type, side(left, null), side(null, null))),
                KEY,
                KEY,
                KEY.getProducedType());
    }

    private static MiniBatchJoinSpec spec(
            FlinkJoinType type, JoinSideSpec left, JoinSideSpec right) {
        return new MiniBatchJoinSpec(
                type,
                left,
                right,
                new JoinCase.TestCondition(false),
                new boolean[] {true},
                true,
                new BundleSettings(1000, 1L << 40));
    }

    private static JoinSideSpec side(
            @Nullable NormalizedInput normalized, @Nullable TimeToLive ttl) {
        return new JoinSideSpec(
                JoinCase.ROW,
                KEY,
                new JoinCase.Side(JoinCase.UniqueKey.JOIN_KEY, InputChangelog.RETRACT).spec(),
                InputChangelog.RETRACT,
                ttl == null ? TimeToLive.FOREVER : ttl,
                normalized);
    }
}
