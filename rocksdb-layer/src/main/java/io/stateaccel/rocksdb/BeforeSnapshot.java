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

import java.util.Map;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;

/**
 * Looks at RocksDB before each checkpoint, when it is up to date and has not been flushed, to say
 * how it is to write from then on. In the task thread; what goes wrong there is logged, and no
 * reason to fail the checkpoint.
 */
@FunctionalInterface
interface BeforeSnapshot {

    /**
     * @param states by name
     */
    void look(Map<String, RocksDbKvStateInfo> states);
}
