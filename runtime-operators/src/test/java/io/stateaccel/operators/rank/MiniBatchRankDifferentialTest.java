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

import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.DisturbedRun;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RandomCases;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changelogs through Flink's top-N functions and through ours, with checkpoints and
 * restores in between: what is live in the end is the same, and what a sort of all live rows gives,
 * and ours emits no more.
 */
class MiniBatchRankDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(25);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        RankCase rank = RankCase.random(random);
        List<BinaryRowData> changes = rank.changes(random, random.nextInt(200));
        long disturbance = random.nextLong();

        DisturbedRun run =
                new DisturbedRun(
                        changes, new RankCase.Selector(RankCase.PARTITION), disturbance, backend);

        MaterialisedRows ours = rank.materialisedRows();
        Map<Long, String> byRowKey = new HashMap<>();
        Changelog<String> rules =
                new Changelog<>(
                        rank.toString(),
                        rank::text,
                        rank.outputRankNumber() ? rank::key : null,
                        rank.generateUpdateBefore());
        run.play(
                start -> rank.accelerated(),
                emitted -> {
                    emitted.forEach(ours::take);
                    emitted.forEach(row -> replace(rank, row, byRowKey));
                    rules.bundle(emitted);
                });
        rules.end();
        if (rank.generateUpdateBefore() && rank.haveIdsOfTheirOwn(changes)) {
            assertThat(byRowKey.values())
                    .as("by row key, -Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                    .containsExactlyInAnyOrderElementsOf(ours.rows().keySet());
        }

        if (rank.input() != RankInput.UPDATE) {
            assertThat(ours.rows())
                    .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                    .isEqualTo(sorted(rank, rank.expected(changes)));
        }
        if (rank.isWrongInFlink()) {
            return;
        }
        // Flink's own operator leaves some -U without a +U.
        MaterialisedRows stock = rank.materialisedRows();
        run.play(start -> rank.stock(), emitted -> emitted.forEach(stock::take));
        assertThat(ours.rows())
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                .isEqualTo(stock.rows());
        assertThat(stock.overdrawn())
                .as("overdrawn, -Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                .containsAll(ours.overdrawn());
        assertThat(ours.changes())
                .as("emitted rows, -Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                .isLessThanOrEqualTo(stock.changes());
    }

    /** In turn, from each other's snapshots. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void goesOnWhereStockLeftOffAndBack(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        RankCase rank;
        do {
            rank = RankCase.random(random);
        } while (!rank.isStoredAsInFlink() || rank.isWrongInFlink());
        RankCase topN = rank;
        int ours = random.nextInt(2);
        DisturbedRun run =
                new DisturbedRun(
                        topN.changes(random, random.nextInt(300)),
                        new RankCase.Selector(RankCase.PARTITION),
                        random.nextLong(),
                        backend);

        MaterialisedRows both = topN.materialisedRows();
        run.play(
                start -> start % 2 == ours ? topN.accelerated() : topN.stock(),
                emitted -> emitted.forEach(both::take));
        MaterialisedRows stock = topN.materialisedRows();
        run.play(start -> topN.stock(), emitted -> emitted.forEach(stock::take));

        assertThat(both.rows())
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, topN)
                .isEqualTo(stock.rows());
    }

    /** As a join has them that knows rows by their key: a change of any kind replaces the last. */
    private static void replace(RankCase rank, RowData row, Map<Long, String> byRowKey) {
        if (RowDataUtil.isAccumulateMsg(row)) {
            byRowKey.put(row.getLong(RankCase.ID), rank.text(row));
        } else {
            byRowKey.remove(row.getLong(RankCase.ID));
        }
    }

    private static Map<String, Object> sorted(
            RankCase rank, Map<Long, List<BinaryRowData>> partitions) {
        MaterialisedRows live = rank.materialisedRows();
        for (List<BinaryRowData> partition : partitions.values()) {
            for (int i = 0; i < partition.size(); i++) {
                live.take(
                        rank.outputRankNumber()
                                ? new JoinedRowData(
                                        partition.get(i),
                                        GenericRowData.of((long) rank.rankStart() + i))
                                : partition.get(i));
            }
        }
        return live.rows();
    }
}
