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
package io.stateaccel.operators;

import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** State backends by the names that tests print. */
public final class TestBackends {

    public static final String HASHMAP = "hashmap";
    public static final String ROCKSDB = "rocksdb";
    public static final String ACCELERATED = "accelerated";

    private TestBackends() {}

    /**
     * @return a new one, with full checkpoints
     */
    public static StateBackend of(String name) {
        return switch (name) {
            case HASHMAP -> new HashMapStateBackend();
            case ROCKSDB -> new EmbeddedRocksDBStateBackend(false);
            case ACCELERATED ->
                    new StateAccelRocksDBStateBackendFactory()
                            .createFromConfig(
                                    new Configuration(), TestBackends.class.getClassLoader());
            default -> throw new IllegalArgumentException(name);
        };
    }
}
