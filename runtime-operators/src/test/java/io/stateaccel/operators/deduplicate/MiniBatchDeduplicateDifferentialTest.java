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
package io.stateaccel.operators.deduplicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.DisturbedRun;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.join.JoinCase;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random insertions through Flink's deduplications and through ours, with checkpoints and
 * restores in between, in which either goes on from what the other has stored: what is live in the
 * end is the same, and ours emits no more.
 */
class MiniBatchDeduplicateDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(25);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        DeduplicateCase deduplication = DeduplicateCase.random(random);
        List<BinaryRowData> rows = DeduplicateCase.rows(random);
        long disturbance = random.nextLong();

        DisturbedRun run =
                new DisturbedRun(rows, new JoinCase.Selector(JoinCase.KEY), disturbance, backend);
        MaterialisedRows stock = result(run, deduplication, List.of(false));
        MaterialisedRows ours = result(run, deduplication, List.of(true));
        MaterialisedRows both = result(run, deduplication, List.of(true, false));

        assertThat(ours.rows())
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, deduplication)
                .isEqualTo(stock.rows());
        assertThat(stock.overdrawn()).containsAll(ours.overdrawn());
        assertThat(ours.changes())
                .as("emitted rows, -Dstateaccel.seed=%d, %s: %s", seed, backend, deduplication)
                .isLessThanOrEqualTo(stock.changes());
        assertThat(both.rows())
                .as("taking turns, -Dstateaccel.seed=%d, %s: %s", seed, backend, deduplication)
                .isEqualTo(stock.rows());
    }

    /**
     * @param accelerated whether the operator is ours, after each restore the next, over and over
     */
    private static MaterialisedRows result(
            DisturbedRun run, DeduplicateCase deduplication, List<Boolean> accelerated)
            throws Exception {
        MaterialisedRows live = deduplication.materialisedRows();
        Changelog<String> rules =
                new Changelog<>(
                        deduplication.toString(),
                        DeduplicateCase::text,
                        DeduplicateCase::keyOf,
                        deduplication.generateUpdateBefore());
        run.play(
                start ->
                        accelerated.get(start % accelerated.size())
                                ? deduplication.accelerated()
                                : deduplication.stock(),
                emitted -> {
                    if (!deduplication.generateUpdateBefore()) {
                        assertThat(emitted).allMatch(RowDataUtil::isAccumulateMsg);
                    }
                    emitted.forEach(live::take);
                    rules.bundle(emitted);
                });
        rules.end();
        return live;
    }
}
