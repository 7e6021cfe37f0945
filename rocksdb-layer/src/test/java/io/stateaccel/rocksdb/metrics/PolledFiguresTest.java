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

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.util.ResourceGuard;
import org.junit.jupiter.api.Test;

class PolledFiguresTest {

    private final ResourceGuard guard = new ResourceGuard();
    private final AtomicInteger taken = new AtomicInteger();

    @Test
    void areTakenUnderTheGuardAndOnceForAllWhoAsk() {
        PolledFigures<Integer> figures =
                new PolledFigures<>(
                        guard,
                        () -> {
                            assertThat(guard.getLeaseCount()).isEqualTo(1);
                            return taken.incrementAndGet();
                        },
                        -1);

        assertThat(figures.get()).isEqualTo(1);
        assertThat(figures.get()).isEqualTo(1);
        assertThat(guard.getLeaseCount()).isZero();
    }

    @Test
    void areTheLastOnesWhenThereAreNoNewOnes() {
        PolledFigures<Integer> failing =
                new PolledFigures<>(
                        guard,
                        () -> {
                            throw new IOException("gone");
                        },
                        -1);
        assertThat(failing.get()).isEqualTo(-1);
        assertThat(guard.getLeaseCount()).isZero();
    }

    @Test
    void areNotTakenOnceTheGuardIsClosed() {
        PolledFigures<Integer> figures = new PolledFigures<>(guard, taken::incrementAndGet, -1);
        guard.close();

        assertThat(figures.get()).isEqualTo(-1);
        assertThat(taken).hasValue(0);
    }
}
