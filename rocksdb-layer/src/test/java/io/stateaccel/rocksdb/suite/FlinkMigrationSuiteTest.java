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
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's own suite for the migration of state to a new serializer. */
@ExtendWith(ParameterizedTestExtension.class)
class FlinkMigrationSuiteTest extends StateBackendMigrationTestBase<StateAccelRocksDBStateBackend> {

    private final boolean incremental;

    FlinkMigrationSuiteTest(boolean incremental) {
        this.incremental = incremental;
    }

    @Parameters(name = "incremental = {0}")
    static List<Object[]> modes() {
        return List.of(new Object[] {true}, new Object[] {false});
    }

    Map<String, String> options() {
        return Map.of();
    }

    @Override
    protected StateAccelRocksDBStateBackend getStateBackend() {
        Configuration config = Configuration.fromMap(options());
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, incremental);
        config.set(RocksDBConfigurableOptions.WRITE_BUFFER_SIZE, MemorySize.parse("64kb"));
        return new StateAccelRocksDBStateBackendFactory()
                .createFromConfig(config, getClass().getClassLoader());
    }
}
