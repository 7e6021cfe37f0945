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
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.util.Collector;
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
        MiniBatchRankSpec spec = rank.spec(TimeToLive.ofMillis(100), 1000);
        MaterialisedRows live = rank.materialisedRows();
        ResultRanks ranks = new ResultRanks(spec.rankStart(), spec.rankEnd());
        RankChanges changes = new RankChanges(spec, new RankOutput(spec, ranks, new Into(live)));
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

    private record Into(MaterialisedRows live) implements Collector<RowData> {

        @Override
        public void collect(RowData row) {
            live.take(row);
        }

        @Override
        public void close() {}
    }
}
