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
package io.stateaccel.operators.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of a result of which parts have expired, so that rows come where others still are. */
class RankChangesTest {

    private static final BinaryRowData ONE = RankCase.row(1, 1, 5, 0);
    private static final BinaryRowData OTHER = RankCase.row(1, 2, 5, 0);

    /**
     * The second row takes the place of the first for who reads upserts, and then the place is
     * empty; who counts has the first.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowThatTookThePlaceOfAnotherGoes(boolean generateUpdateBefore) {
        RankCase rank = new RankCase(RankInput.RETRACT, 1, 1, true, generateUpdateBefore, 1000);
        MaterialisedRows live = rank.materialisedRows();
        RankChanges changes = changes(rank, live::take);
        changes.comes(ONE, 1);
        changes.comes(OTHER, 1);
        changes.goes(OTHER, 1);
        changes.emit();
        if (generateUpdateBefore) {
            assertThat(live.rows()).containsOnlyKeys("1,1,5,0#1");
        } else {
            assertThat(live.rows()).isEmpty();
        }
    }

    /** Whoever knows rows by a key of theirs has it after that. */
    @Test
    void aRowThatRisesGoesBeforeItComes() {
        RankCase rank = new RankCase(RankInput.RETRACT, 1, 2, true, true, 1000);
        List<String> told = new ArrayList<>();
        RankChanges changes =
                changes(
                        rank,
                        row -> told.add(row.getRowKind().shortString() + " " + rank.text(row)));
        changes.goes(ONE, 1);
        changes.comes(OTHER, 1);
        changes.goes(OTHER, 2);
        changes.emit();
        assertThat(told).containsExactly("-U 1,1,5,0#1", "-D 1,2,5,0#2", "+U 1,2,5,0#1");
    }

    private static RankChanges changes(RankCase rank, Consumer<RowData> taker) {
        MiniBatchRankSpec spec = rank.spec(TimeToLive.ofMillis(100), 1000);
        ResultRanks ranks = new ResultRanks(spec.rankStart(), spec.rankEnd());
        return new RankChanges(spec, new RankOutput(spec, ranks, new Into(taker)));
    }

    private record Into(Consumer<RowData> taker) implements Collector<RowData> {

        @Override
        public void collect(RowData row) {
            taker.accept(row);
        }

        @Override
        public void close() {}
    }
}
