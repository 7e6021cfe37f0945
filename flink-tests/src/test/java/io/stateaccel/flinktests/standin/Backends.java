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
package io.stateaccel.flinktests.standin;

import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

/**
 * In place of {@code SinkUpsertMaterializerStateBackend}, whose constants and method it has:
 * RocksDB is our backend.
 */
public enum Backends {
    HEAP {
        @Override
        public StateBackend create(boolean incremental) {
            return new HashMapStateBackend();
        }
    },
    ROCKSDB {
        @Override
        public StateBackend create(boolean incremental) {
            final Configuration config = new Configuration();
            config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, incremental);
            return new StateAccelRocksDBStateBackendFactory()
                    .createFromConfig(config, Backends.class.getClassLoader());
        }
    };

    /** A new one. */
    public abstract StateBackend create(boolean incremental);
}
