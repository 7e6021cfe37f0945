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
package io.stateaccel.rocksdb.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Shares of bytes by length, against the lengths themselves. */
class ValueLengthsTest {

    @Test
    void knowsTheShareOfBytesFromEachPowerOfTwoOn() {
        long seed = System.nanoTime();
        System.out.println("ValueLengthsTest: seed " + seed);
        Random random = new Random(seed);
        ValueLengths lengths = new ValueLengths();
        List<Integer> all = new ArrayList<>(List.of(0, 1, 1_023, 1_024, 1_025, Integer.MAX_VALUE));
        for (int i = 0; i < 1_000; i++) {
            all.add(random.nextInt(1 << random.nextInt(31)));
        }
        all.forEach(lengths::add);
        long bytes = all.stream().mapToLong(Integer::longValue).sum();
        assertThat(lengths.values()).isEqualTo(all.size());
        assertThat(lengths.bytes()).isEqualTo(bytes);
        for (int power = 0; power < 31; power++) {
            int from = 1 << power;
            long longOnes = all.stream().filter(l -> l >= from).mapToLong(l -> l).sum();
            assertThat(lengths.shareFrom(from))
                    .as("from %s on", from)
                    .isEqualTo((double) longOnes / bytes);
        }
    }

    @Test
    void whatIsOldCountsLess() {
        ValueLengths lengths = new ValueLengths();
        for (int i = 0; i < 1_000; i++) {
            lengths.add(2_000);
        }
        double share = 1;
        for (int round = 0; round < 10; round++) {
            assertThat(lengths.shareFrom(1_024)).isCloseTo(share, within(0.01));
            lengths.age();
            long old = lengths.bytes();
            double oldShare = lengths.shareFrom(1_024);
            for (int i = 0; i < 1_000; i++) {
                lengths.add(500);
            }
            share = oldShare * old / (old + 500_000);
        }
        assertThat(share).isLessThan(0.01);
    }

    @Test
    void nothingHasNoLongOnes() {
        ValueLengths lengths = new ValueLengths();
        assertThat(lengths.shareFrom(1_024)).isZero();
        lengths.add(0);
        lengths.age();
        assertThat(lengths.shareFrom(1)).isZero();
        assertThat(lengths.values()).isZero();
    }
}
