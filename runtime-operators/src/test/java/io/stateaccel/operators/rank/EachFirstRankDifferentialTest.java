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

import io.stateaccel.operators.DisturbedRun;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A top-1 whose result keeps every row that was ever the first, with bundles, idle moments and
 * restores in between: of each partition Flink's {@code FastTop1Function} and ours emit the same
 * changes in the same order, and either goes on from the other's state.
 */
class EachFirstRankDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(25);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameChangesAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        int[] sizes = {1, 2, 7, 1000};
        RankCase rank =
                new RankCase(
                        RankInput.APPEND,
                        1,
                        1,
                        random.nextBoolean(),
                        random.nextBoolean(),
                        sizes[random.nextInt(sizes.length)]);
        List<BinaryRowData> rows = rank.changes(random, random.nextInt(200));
        DisturbedRun run =
                new DisturbedRun(
                        rows,
                        new RankCase.Selector(RankCase.PARTITION),
                        random.nextLong(),
                        backend);

        Map<Long, List<String>> stock = changes(run, rank, start -> rank.stock());
        Map<Long, List<String>> ours = changes(run, rank, start -> ours(rank));
        Map<Long, List<String>> both =
                changes(run, rank, start -> start % 2 == 0 ? ours(rank) : rank.stock());

        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, rank);
        assertThat(ours).as(description).isEqualTo(stock);
        assertThat(both).as("taking turns, " + description).isEqualTo(stock);
    }

    private static MiniBatchRankOperator ours(RankCase rank) {
        return rank.neverTakingBack(TimeToLive.FOREVER, 1000);
    }

    private static Map<Long, List<String>> changes(
            DisturbedRun run,
            RankCase rank,
            IntFunction<OneInputStreamOperator<RowData, RowData>> operators)
            throws Exception {
        Map<Long, List<String>> changes = new HashMap<>();
        run.play(
                operators,
                emitted ->
                        rank.byPartition(emitted)
                                .forEach(
                                        (partition, some) ->
                                                changes.computeIfAbsent(
                                                                partition, p -> new ArrayList<>())
                                                        .addAll(some)));
        return changes;
    }
}
