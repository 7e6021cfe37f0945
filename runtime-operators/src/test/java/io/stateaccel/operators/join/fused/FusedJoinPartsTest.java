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
package io.stateaccel.operators.join.fused;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.RowOutput;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.fused.FusedCase.Above;
import io.stateaccel.operators.join.fused.FusedCase.Ranks;
import io.stateaccel.views.join.InputChangelog;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

/**
 * One join key with three rows on the left, whose row on the right is updated: what is emitted
 * where the key is worked off in parts, and where it need not be.
 */
class FusedJoinPartsTest {

    private static final long PLENTY = 1 << 20;

    @Test
    void groupsThatComeBackAreSeenWithoutTheirRow() throws Exception {
        assertThat(emitted(Above.SUM, 1000, PLENTY)).isEmpty();
        assertThat(emitted(Above.SUM, 1000, 1))
                .containsExactlyInAnyOrder("-D 1", "-D 2", "-D 3", "+I 1", "+I 2", "+I 3");
    }

    /** The group's row is one that is updated, in parts as well. */
    @Test
    void aSingleGroupIsNeverWorkedOffInParts() throws Exception {
        assertThat(emitted(Above.DISTINCT, 1000, 1)).isEmpty();
    }

    @Test
    void partialsLeaveEarlier() throws Exception {
        assertThat(emitted(Above.LOCAL_SUM, 1000, PLENTY)).hasSize(3);
        assertThat(emitted(Above.LOCAL_SUM, 1000, 1)).hasSize(6);
    }

    /** The right row gets another value, so that no row of the result stays as it is. */
    @Test
    void rowsOfTopNAreSeenInBetween() throws Exception {
        assertThat(emitted(Above.TOP_RETRACT, 1000, PLENTY))
                .containsExactly("-U 3", "-U 2", "+U 3", "+U 2");
        List<String> inParts = emitted(Above.TOP_RETRACT, 1, PLENTY);
        assertThat(inParts).hasSizeGreaterThan(4);
        assertThat(inParts).endsWith("+U 2");
    }

    @Test
    void upsertsOfTopNAreSeenInBetween() throws Exception {
        assertThat(emitted(Above.TOP_UPDATE, 1000, PLENTY))
                .containsExactly("-U 3", "+U 3", "-U 2", "+U 2");
        assertThat(emitted(Above.TOP_UPDATE, 1, PLENTY)).hasSizeGreaterThan(4);
    }

    /** What the update of the right row changes; ids of left rows. */
    private static List<String> emitted(Above above, int mostRows, long heapBytes)
            throws Exception {
        boolean upserts = above == Above.TOP_UPDATE;
        JoinCase join =
                new JoinCase(
                        FlinkJoinType.INNER,
                        new Side(UniqueKey.ID, InputChangelog.INSERT_ONLY),
                        new Side(
                                UniqueKey.JOIN_KEY,
                                upserts ? InputChangelog.UPSERT : InputChangelog.RETRACT),
                        false,
                        false,
                        1000,
                        0,
                        0);
        FusedCase fused =
                new FusedCase(join, above, new Ranks(1, 2, true, true, false), mostRows, heapBytes);
        Changelog<BinaryRowData> changelog = fused.changelog();
        List<String> emitted = new ArrayList<>();
        Selector key = new Selector(JoinCase.KEY);
        try (var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        fused.accelerated(), key, key, key.getProducedType())) {
            RowOutput.of(
                    harness,
                    row -> {
                        if (!above.isLocal()) {
                            changelog.accept(row);
                        }
                        emitted.add(
                                row.getRowKind().shortString() + " " + row.getLong(JoinCase.ID));
                    });
            harness.open();
            for (int id = 1; id <= 3; id++) {
                harness.processElement1(new StreamRecord<>(JoinCase.row("a key", id, id)));
            }
            harness.processElement2(right(0, RowKind.INSERT));
            harness.prepareSnapshotPreBarrier(1);
            emitted.clear();
            if (!upserts) {
                harness.processElement2(right(0, RowKind.UPDATE_BEFORE));
            }
            harness.processElement2(right(1, RowKind.UPDATE_AFTER));
            harness.prepareSnapshotPreBarrier(2);
        }
        return emitted;
    }

    private static StreamRecord<RowData> right(int value, RowKind kind) {
        BinaryRowData row = JoinCase.row("a key", 0, value);
        row.setRowKind(kind);
        return new StreamRecord<>(row);
    }
}
