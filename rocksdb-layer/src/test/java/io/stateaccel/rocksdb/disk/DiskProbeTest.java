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
package io.stateaccel.rocksdb.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On the disk of the temporary folder, whatever it is. */
class DiskProbeTest {

    private static final Duration SHORT = Duration.ofMillis(20);
    private static final long CHUNK = 256 << 10;

    @TempDir private Path directory;

    @Test
    void measuresReadsAndSyncs() throws IOException {
        try (DiskProbe probe = DiskProbe.create(directory, 4 * CHUNK, Duration.ofMinutes(1))) {
            assertThat(probe.fileBytes()).isEqualTo(4 * CHUNK);
            assertPlausible(probe.randomReads(1, SHORT));
            assertPlausible(probe.randomReads(3, SHORT));
            assertPlausible(probe.syncs(SHORT));
        }
    }

    private static void assertPlausible(Latencies latencies) {
        assertThat(latencies.count()).isPositive();
        assertThat(latencies.perSecond()).isPositive();
        assertThat(latencies.p50Micros()).isPositive().isLessThanOrEqualTo(latencies.p90Micros());
        assertThat(latencies.p90Micros()).isLessThanOrEqualTo(latencies.p99Micros());
        assertThat(latencies.p99Micros()).isLessThanOrEqualTo(latencies.p999Micros());
        assertThat(latencies.p999Micros()).isLessThanOrEqualTo(latencies.maxMicros());
    }

    @Test
    void writesNoMoreThanItMayAndReadsAtLeastOnce() throws IOException {
        try (DiskProbe probe = DiskProbe.create(directory, 100 * CHUNK, Duration.ZERO)) {
            assertThat(probe.fileBytes()).isEqualTo(CHUNK);
            assertThat(probe.randomReads(1, Duration.ZERO).count()).isEqualTo(1);
            assertThat(probe.randomReads(5, Duration.ZERO).count()).isEqualTo(5);
            assertThat(probe.syncs(Duration.ZERO).count()).isEqualTo(1);
        }
    }

    @Test
    void itsFileHasNoNameWhileItIsOpen() throws IOException {
        try (DiskProbe probe = DiskProbe.create(directory, CHUNK, SHORT)) {
            assertThat(probe.fileBytes()).isEqualTo(CHUNK);
            assertThat(directory).isEmptyDirectory();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void failsWhereItCannotWrite() {
        assertThatThrownBy(() -> DiskProbe.create(directory.resolve("absent"), CHUNK, SHORT))
                .isInstanceOf(IOException.class);
    }
}
