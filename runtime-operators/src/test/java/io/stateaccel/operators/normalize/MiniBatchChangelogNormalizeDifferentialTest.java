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
package io.stateaccel.operators.normalize;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.DisturbedRun;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changes through Flink's normalisation and through ours, with checkpoints and
 * restores in between, in which either goes on from what the other has stored: what is live in the
 * end is the same, and ours emits no more; with bundles of one row it emits the same.
 */
class MiniBatchChangelogNormalizeDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(20);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        NormalizeCase normalize = NormalizeCase.random(random);
        List<BinaryRowData> changes = NormalizeCase.changes(random);
        DisturbedRun run =
                new DisturbedRun(
                        changes, new JoinCase.Selector(JoinCase.KEY), random.nextLong(), backend);
        Result stock = result(run, normalize, List.of(false));
        Result ours = result(run, normalize, List.of(true));
        Result both = result(run, normalize, List.of(true, false));

        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, normalize);
        assertThat(ours.live().rows()).as(description).isEqualTo(stock.live().rows());
        assertThat(ours.live().changes())
                .as("emitted rows, " + description)
                .isLessThanOrEqualTo(stock.live().changes());
        assertThat(both.live().rows())
                .as("taking turns, " + description)
                .isEqualTo(stock.live().rows());
        // Before 2.2 Flink takes an equal row for another one if it comes as +U, and emits it.
        if (normalize.bundleSize() == 1 && Lines.isAtLeast("2.2")) {
            assertThat(ours.emitted()).as(description).isEqualTo(stock.emitted());
        }
    }

    /**
     * @param accelerated whether the operator is ours, after each restore the next, over and over
     */
    private static Result result(
            DisturbedRun run, NormalizeCase normalize, List<Boolean> accelerated) throws Exception {
        Result result = new Result(normalize.materialisedRows(), new ArrayList<>());
        Changelog<String> rules =
                new Changelog<>(
                                normalize.toString(),
                                NormalizeCase::text,
                                NormalizeCase::keyOf,
                                normalize.generateUpdateBefore())
                        .strict();
        run.play(
                start ->
                        accelerated.get(start % accelerated.size())
                                ? normalize.accelerated(TimeToLive.FOREVER, 1000)
                                : normalize.stock(0),
                emitted -> {
                    emitted.forEach(result.live()::take);
                    emitted.forEach(
                            row ->
                                    result.emitted()
                                            .add(
                                                    row.getRowKind().shortString()
                                                            + NormalizeCase.text(row)));
                    rules.bundle(emitted);
                });
        rules.end();
        return result;
    }

    private record Result(MaterialisedRows live, List<String> emitted) {}
}
