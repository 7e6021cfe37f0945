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

import io.stateaccel.rocksdb.blob.AutomaticSeparation;
import io.stateaccel.rocksdb.cache.SubTaskCache;
import io.stateaccel.rocksdb.metrics.BackendMetrics;
import io.stateaccel.rocksdb.store.RocksDBStores;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What a {@link StateAccelKeyedStateBackend} has beyond Flink's.
 *
 * @param kinds of all states
 * @param columnFamilyOptions chosen by kind
 * @param metrics closed with the backend
 * @param stores of states that are read and written in batches; closed with the backend
 * @param cache in front of the stores; closed with the backend; null when nothing is to be cached
 * @param automaticSeparation null when no state decides on it for itself
 * @param beforeSnapshot in this order
 */
record Additions(
        StateKinds kinds,
        ColumnFamilyOptionsSource columnFamilyOptions,
        BackendMetrics metrics,
        RocksDBStores stores,
        @Nullable SubTaskCache cache,
        @Nullable AutomaticSeparation automaticSeparation,
        List<BeforeSnapshot> beforeSnapshot) {}
