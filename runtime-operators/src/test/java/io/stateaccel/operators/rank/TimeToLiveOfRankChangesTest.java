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
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.clock.ClockedSubtasks;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.util.StateConfigUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job whose rows begin to expire, expire at another time, or no longer. */
class TimeToLiveOfRankChangesTest {

    private static final long TTL = 100;

    private ClockedSubtasks subtasks;

    /** As with one row, for which Flink does it. The first two stay in the state all the time. */
    @ParameterizedTest
    @CsvSource({"APPEND,hashmap", "APPEND,rocksdb", "UPDATE,hashmap", "UPDATE,rocksdb"})
    void ofSeveralRowsIsTurnedOnAndOff(RankInput input, String backend) throws Exception {
        open(input, 2, backend, 0);
        insertAndFlush(1, 5);
        insertAndFlush(2, 5);
        subtasks.restore(operator(input, 2, TTL), 1, 500);
        subtasks.at(500 + TTL - 1);
        assertThat(insertAndFlush(3, 4)).as("the first two are live").isEmpty();
        subtasks.restore(operator(input, 2, 0), 2, 500 + TTL - 1);
        subtasks.at(10 * TTL);
        assertThat(insertAndFlush(4, 4)).as("they do not expire").isEmpty();
        subtasks.restore(operator(input, 2, TTL), 1, 20 * TTL);
        subtasks.at(21 * TTL - 1);
        assertThat(insertAndFlush(5, 4)).as("they are live").isEmpty();
        subtasks.at(21 * TTL);
        assertThat(insertAndFlush(6, 3)).as("they are not").containsExactly("+I6");
        subtasks.close();
    }

    /** And stays where it has been moved to. */
    @ParameterizedTest
    @CsvSource({"0,100", "100,0"})
    void isMovedOnce(long before, long after) throws Exception {
        open(RankInput.APPEND, 2, "rocksdb", before);
        insertAndFlush(1, 5);
        subtasks.restore(operator(RankInput.APPEND, 2, after), 1, 1);
        subtasks.restore(operator(RankInput.APPEND, 2, after), 3, 2);
        insertAndFlush(2, 5);
        assertThat(insertAndFlush(3, 4)).as("both are there").isEmpty();
        subtasks.close();
    }

    /** Flink counts from the restore. */
    @ParameterizedTest
    @CsvSource({"APPEND,hashmap", "APPEND,rocksdb", "UPDATE,hashmap", "UPDATE,rocksdb"})
    void ofOneRowIsTurnedOnAndOff(RankInput input, String backend) throws Exception {
        Lines.assumeSwitchesStateTtl(backend.equals("rocksdb"));
        open(input, 1, backend, 0);
        insertAndFlush(1, 5);
        subtasks.restore(operator(input, 1, TTL), 1, 500);
        subtasks.at(500 + TTL - 1);
        assertThat(insertAndFlush(2, 4)).as("the first is live").isEmpty();
        subtasks.at(500 + TTL);
        assertThat(insertAndFlush(3, 3)).as("it is not").containsExactly("+I3");
        subtasks.restore(operator(input, 1, 0), 1, 500 + TTL);
        subtasks.at(10 * TTL);
        assertThat(insertAndFlush(4, 2)).as("it does not expire").isEmpty();
        subtasks.close();
    }

    /** Whether Flink migrates its states is up to Flink. */
    @ParameterizedTest
    @CsvSource({"hashmap,0,100", "rocksdb,0,100", "hashmap,100,0", "rocksdb,100,0"})
    void ofAllChangesGoesOnWhereStockDoes(String backend, long before, long after)
            throws Exception {
        RankCase rank = new RankCase(RankInput.RETRACT, 1, 2, false, true, 1000);
        boolean[] goesOn = new boolean[2];
        for (boolean ours : new boolean[] {false, true}) {
            subtasks =
                    new ClockedSubtasks(
                            operator(rank, ours, before),
                            new RankCase.Selector(RankCase.PARTITION),
                            backend,
                            0);
            insertAndFlush(1, 5);
            Throwable refusal =
                    catchThrowable(() -> subtasks.restore(operator(rank, ours, after), 1, 1));
            goesOn[ours ? 1 : 0] = refusal == null;
        }
        assertThat(goesOn[1]).isEqualTo(goesOn[0]);
    }

    private static Supplier<OneInputStreamOperator<RowData, RowData>> operator(
            RankCase rank, boolean ours, long ttl) {
        return ours
                ? () -> rank.accelerated(TimeToLive.ofMillis(ttl), 1L << 60)
                : () -> rank.stock(StateConfigUtil.createTtlConfig(ttl));
    }

    @ParameterizedTest
    @CsvSource({"APPEND,hashmap", "APPEND,rocksdb", "UPDATE,hashmap", "UPDATE,rocksdb"})
    void mayBeAnother(RankInput input, String backend) throws Exception {
        open(input, 2, backend, TTL);
        insertAndFlush(1, 5);
        subtasks.at(50);
        insertAndFlush(2, 6);
        subtasks.restore(operator(input, 2, TTL / 2), 1, 60);
        assertThat(insertAndFlush(3, 1)).as("the first has expired").containsExactly("+I3");
        assertThat(insertAndFlush(4, 1)).as("two are live").isEmpty();
        subtasks.close();
    }

    private void open(RankInput input, int most, String backend, long ttl) throws Exception {
        subtasks =
                new ClockedSubtasks(
                        operator(input, most, ttl),
                        new RankCase.Selector(RankCase.PARTITION),
                        backend,
                        0);
    }

    private static Supplier<OneInputStreamOperator<RowData, RowData>> operator(
            RankInput input, int most, long ttl) {
        RankCase rank = new RankCase(input, 1, most, false, true, 1000);
        return () -> rank.accelerated(TimeToLive.ofMillis(ttl), 1L << 60);
    }

    private List<String> insertAndFlush(long id, int sorted) throws Exception {
        subtasks.process(RankCase.row(1, id, sorted, 0));
        return subtasks.flush().stream()
                .map(row -> row.getRowKind().shortString() + row.getLong(RankCase.ID))
                .toList();
    }
}
