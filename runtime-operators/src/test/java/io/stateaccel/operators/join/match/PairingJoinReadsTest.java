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
package io.stateaccel.operators.join.match;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.JoinSideSpec;
import io.stateaccel.operators.join.fold.BundleFold;
import io.stateaccel.operators.join.fold.SideChanges;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which rows a join reads: those of the side that has not changed, and no others. */
class PairingJoinReadsTest {

    private final CountedView left = new CountedView();
    private final CountedView right = new CountedView();
    private final List<RowData> results = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(names = {"ID", "JOIN_KEY"})
    void upsertIsWrittenWithoutReadingWhatItReplaces(UniqueKey key) throws Exception {
        join(new Side(key, InputChangelog.UPSERT), upserts(1), List.of());
        assertThat(left.reads).isZero();
        assertThat(left.applied).hasSize(1);
        assertThat(right.reads).isOne();
    }

    @Test
    void upsertIsReadWhereTheOtherSideChanges() throws Exception {
        join(new Side(UniqueKey.ID, InputChangelog.UPSERT), upserts(1), upserts(2));
        assertThat(left.reads).isOne();
        assertThat(right.reads).isOne();
        assertThat(results).hasSize(1);
    }

    private void join(Side side, List<RowData> leftRows, List<RowData> rightRows) throws Exception {
        JoinSideSpec spec =
                new JoinSideSpec(
                        JoinCase.ROW,
                        new Selector(JoinCase.KEY),
                        side.spec(),
                        side.changelog(),
                        TimeToLive.FOREVER);
        JoinSide leftSide = new JoinSide(true, left, side.changelog(), spec.identity());
        JoinSide rightSide = new JoinSide(false, right, side.changelog(), spec.identity());
        BundleFold fold = BundleFold.of(side.changelog(), spec.identity(), true);
        SideChanges leftChanges = fold.fold(leftRows);
        SideChanges rightChanges = rightRows.isEmpty() ? SideChanges.NONE : fold.fold(rightRows);
        RowData key = spec.keySelector().getKey(leftRows.get(0));
        assertThat(leftSide.isToBeRead(key, leftChanges, rightChanges))
                .isEqualTo(!rightRows.isEmpty());
        assertThat(rightSide.isToBeRead(key, rightChanges, leftChanges)).isTrue();
        leftSide.begin(key, leftChanges, null);
        rightSide.begin(key, rightChanges, null);
        new PairingJoin(
                        leftSide,
                        rightSide,
                        false,
                        false,
                        3,
                        3,
                        true,
                        new JoinMatcher(new JoinCase.TestCondition(false).newInstance(null)),
                        results::add)
                .join();
        leftSide.store();
        rightSide.store();
    }

    private static List<RowData> upserts(long id) {
        RowData row = JoinCase.row("a", id, 1);
        row.setRowKind(RowKind.UPDATE_AFTER);
        return List.of(row);
    }

    private static final class CountedView implements MergedRecordView {
        int reads;
        List<RowData> applied = List.of();

        @Override
        public LoadedRecords load(List<RowData> joinKeys) {
            return this;
        }

        @Override
        public LiveRows records(RowData joinKey) {
            reads++;
            return LiveRows.NONE;
        }

        @Override
        public void apply(RowData joinKey, List<RowData> changes) {
            applied = changes;
        }
    }
}
