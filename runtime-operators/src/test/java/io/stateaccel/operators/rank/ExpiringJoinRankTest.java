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

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.clock.ClockedJoin;
import io.stateaccel.operators.clock.ClockedSubtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.RandomChangelog;
import io.stateaccel.operators.join.rank.MiniBatchJoinRankOperator;
import io.stateaccel.operators.join.rank.MiniBatchJoinRankSpec;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A join and the top-N of its results in one operator, under a clock by which the rows of either
 * expire, emits what the two emit one after the other, of which each is compared with Flink's by
 * itself.
 */
class ExpiringJoinRankTest {

    private static final int LARGE_BUNDLE = 1_000_000;
    private static final int TTL_OF_JOIN = 100;
    private static final int TTL_OF_RANK = 60;

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(12);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void emitsWhatJoinAndTopNEmitOneAfterTheOther(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        boolean retracts = random.nextBoolean();
        Side side =
                new Side(
                        UniqueKey.NONE,
                        retracts ? InputChangelog.RETRACT : InputChangelog.INSERT_ONLY);
        JoinCase join =
                new JoinCase(
                        FlinkJoinType.INNER,
                        side,
                        side,
                        random.nextBoolean(),
                        false,
                        LARGE_BUNDLE,
                        TTL_OF_JOIN,
                        TTL_OF_JOIN);
        MiniBatchRankSpec rank = rank(retracts, random);
        List<BinaryRowData> left = RandomChangelog.of(side, "hot", random, random.nextInt(100));
        List<BinaryRowData> right = RandomChangelog.of(side, "hot", random, random.nextInt(100));
        try (ClockedJoin fused =
                        new ClockedJoin(
                                () ->
                                        new MiniBatchJoinRankOperator(
                                                new MiniBatchJoinRankSpec(join.spec(), null, rank)),
                                JoinCase.JOINED,
                                backend);
                ClockedJoin joined =
                        new ClockedJoin(
                                () -> new MiniBatchJoinOperator(join.spec()),
                                JoinCase.JOINED,
                                backend);
                ClockedSubtasks ranked =
                        new ClockedSubtasks(
                                () -> new MiniBatchRankOperator(rank),
                                new JoinCase.Selector(JoinCase.KEY),
                                backend,
                                0)) {
            long time = 0;
            int next = 0;
            while (next < left.size() || next < right.size()) {
                int end = next + 1 + random.nextInt(10);
                for (; next < end; next++) {
                    fused.process(next, left, right);
                    joined.process(next, left, right);
                    if (random.nextInt(8) == 0) {
                        time += random.nextInt(TTL_OF_JOIN / 2);
                        fused.at(time);
                        joined.at(time);
                    }
                }
                ranked.at(time);
                for (RowData result : joined.flush()) {
                    ranked.process(result);
                }
                assertThat(texts(fused.flush(), rank))
                        .as("-Dstateaccel.seed=%d on %s at %d: %s", seed, backend, time, rank)
                        .isEqualTo(texts(ranked.flush(), rank));
                if (random.nextInt(5) == 0) {
                    fused.restore(1 + random.nextInt(3), time);
                }
                time += random.nextInt(3) == 0 ? random.nextInt(TTL_OF_JOIN) : 1;
                fused.at(time);
                joined.at(time);
            }
        }
    }

    private static MiniBatchRankSpec rank(boolean retracts, Random random) {
        boolean outputRankNumber = random.nextBoolean();
        int rankStart = 1 + random.nextInt(2);
        return new MiniBatchRankSpec(
                retracts ? RankInput.RETRACT : RankInput.APPEND,
                JoinCase.JOINED,
                new JoinCase.Selector(JoinCase.KEY),
                new RankCase.Order(JoinCase.VALUE),
                new JoinCase.Selector(JoinCase.VALUE),
                RankCase.sortKeyComparator(),
                null,
                rankStart,
                rankStart + random.nextInt(3),
                null,
                outputRankNumber,
                true,
                false,
                random.nextBoolean(),
                0,
                TimeToLive.ofMillis(TTL_OF_RANK),
                new BundleSettings(LARGE_BUNDLE, 1L << 60));
    }

    /** By key, in order: keys are of several sub-tasks. */
    private static Map<String, List<String>> texts(List<RowData> rows, MiniBatchRankSpec rank) {
        Map<String, List<String>> texts = new HashMap<>();
        for (RowData row : rows) {
            StringBuilder text = new StringBuilder(row.getRowKind().shortString());
            for (int column = 0; column < JoinCase.JOINED.toRowSize(); column++) {
                text.append(',')
                        .append(
                                RowData.createFieldGetter(
                                                JoinCase.JOINED.toRowFieldTypes()[column], column)
                                        .getFieldOrNull(row));
            }
            texts.computeIfAbsent(row.getString(JoinCase.KEY).toString(), key -> new ArrayList<>())
                    .add(text + (rank.outputRankNumber() ? "#" + row.getLong(6) : ""));
        }
        return texts;
    }
}
