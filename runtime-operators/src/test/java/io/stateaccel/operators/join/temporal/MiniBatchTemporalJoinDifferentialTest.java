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
package io.stateaccel.operators.join.temporal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.join.temporal.TemporalScript.Event;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changes, late ones too, and watermarks through Flink's {@code
 * TemporalRowTimeJoinOperator} and through ours, with checkpoints, restores and rescalings in
 * between, and with keys that expire: the results of each key in their order, and the timers.
 */
class MiniBatchTemporalJoinDifferentialTest {

    private static final int CASES = 10;

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(CASES);
    }

    @ParameterizedTest(name = "seed {0}, {1}")
    @MethodSource("cases")
    void sameResultsInTheSameOrderAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        TemporalJoinCase join = TemporalJoinCase.random(random);
        boolean reuseRows = random.nextBoolean();
        // Rows with a key as long as this soon are more than one value holds.
        String hotKey = random.nextInt(3) == 0 ? "hot".repeat(3_000) : "hot";
        List<Event> events = TemporalScript.random(hotKey, random);
        boolean rocksdb = backend.equals("rocksdb");

        try (var stock = play(join::stock, events, rocksdb, false);
                var ours = play(join::accelerated, events, rocksdb, reuseRows)) {
            String name = "-Dstateaccel.seed=%d, %s".formatted(seed, join);
            assertThat(ours.results()).as(name).isEqualTo(stock.results());
            assertThat(ours.timers()).as(name).isEqualTo(stock.timers());
        }
    }

    private static TemporalJoinRun play(
            Supplier<TwoInputStreamOperator<RowData, RowData, RowData>> operator,
            List<Event> events,
            boolean rocksdb,
            boolean reuseRows)
            throws Exception {
        TemporalJoinRun run = new TemporalJoinRun(operator, rocksdb, reuseRows);
        run.play(events);
        return run;
    }
}
