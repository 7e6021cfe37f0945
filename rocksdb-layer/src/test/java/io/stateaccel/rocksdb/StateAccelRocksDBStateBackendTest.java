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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.OptionsFile;
import io.stateaccel.rocksdb.testing.RandomStates;
import io.stateaccel.rocksdb.testing.RandomStates.Keys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The backend's own way through Flink: named in the configuration, shipped, configured again. */
class StateAccelRocksDBStateBackendTest {

    @TempDir private Path directory;

    @Test
    void isLoadedByNameAndSurvivesTheTripToATaskManager() throws Exception {
        Configuration config =
                BackendHarness.config(
                        directory,
                        Map.of(StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY.key(), "7"));
        config.set(
                StateBackendOptions.STATE_BACKEND,
                StateAccelRocksDBStateBackendFactory.class.getName());
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);

        StateBackend loaded =
                StateBackendLoader.loadStateBackendFromConfig(
                        config, getClass().getClassLoader(), null);
        assertThat(loaded).isInstanceOf(StateAccelRocksDBStateBackend.class);

        // A task manager configures the backend again, with a configuration that may lack the key.
        StateAccelRocksDBStateBackend shipped =
                InstantiationUtil.clone((StateAccelRocksDBStateBackend) loaded)
                        .configure(new Configuration(), getClass().getClassLoader());
        assertThat(shipped.isIncrementalCheckpointsEnabled()).isTrue();
        assertThat(shipped.useManagedMemory()).isTrue();
        AbstractKeyedStateBackend<String> backend =
                BackendHarness.open(
                        shipped,
                        Keys.VARIABLE_LENGTH.serializer(),
                        128,
                        KeyGroupRange.of(0, 127),
                        List.of());
        try {
            new RandomStates<>(List.of(backend), Keys.VARIABLE_LENGTH).mutate(new Random(1), 100);
            assertThat(OptionsFile.below(directory).table("value", "filter_policy"))
                    .startsWith("bloomfilter:7");
        } finally {
            backend.dispose();
        }
    }
}
