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
package io.stateaccel.rocksdb.suite;

import io.stateaccel.rocksdb.StateAccelRocksDBStateBackend;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Flink's own suite for state backends, with incremental checkpoints. */
@ExtendWith({NoOpTestExtension.class, WithoutReadsFromOtherThreads.class})
class FlinkStateBackendSuiteTest extends StateBackendTestBase<StateAccelRocksDBStateBackend> {

    @TempDir private Path directory;

    Map<String, String> options() {
        return Map.of();
    }

    @Override
    protected ConfigurableStateBackend getStateBackend() {
        Configuration config = Configuration.fromMap(options());
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        config.set(RocksDBOptions.LOCAL_DIRECTORIES, directory.toString());
        return new StateAccelRocksDBStateBackendFactory()
                .createFromConfig(config, getClass().getClassLoader());
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() {
        return new JobManagerCheckpointStorage();
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return false;
    }

    @Override
    protected boolean supportsAsynchronousSnapshots() {
        return true;
    }

    @Override
    protected boolean isSafeToReuseKVState() {
        return true;
    }
}
