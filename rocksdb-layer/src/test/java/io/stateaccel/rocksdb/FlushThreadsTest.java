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
package io.stateaccel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.RandomStates.Keys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.Priority;

class FlushThreadsTest {

    private static final int CORES = Math.max(2, Runtime.getRuntime().availableProcessors());

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "4, 3", "16, 12"})
    void compactionsKeepTheirJobs(int jobs, int compactions) {
        try (DBOptions options = new DBOptions().setMaxBackgroundJobs(jobs)) {
            FlushThreads.applyTo(options);

            assertThat(options.maxBackgroundFlushes()).isEqualTo(Math.max(CORES, jobs / 4));
            assertThat(options.maxBackgroundCompactions()).isEqualTo(compactions);
        }
    }

    @Test
    void databasesOfAProcessFlushOnAllOfItsCores() throws Exception {
        var backend =
                BackendHarness.open(
                        Make.ACCELERATED.create(BackendHarness.config(directory, Map.of())),
                        Keys.VARIABLE_LENGTH.serializer(),
                        128,
                        KeyGroupRange.of(0, 127),
                        List.of());
        try {
            assertThat(Env.getDefault().getBackgroundThreads(Priority.HIGH))
                    .isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
        } finally {
            backend.dispose();
        }
    }
}
