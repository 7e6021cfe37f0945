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

import io.stateaccel.rocksdb.batch.BatchAccess;
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
 * @param batchAccess to the backend's database
 * @param cache closed with the backend; null when nothing is to be cached
 * @param stores behind the cache; closed with the backend, null without a cache
 * @param automaticSeparation null when no state decides on it for itself
 * @param beforeSnapshot in this order
 */
record Additions(
        StateKinds kinds,
        ColumnFamilyOptionsSource columnFamilyOptions,
        BackendMetrics metrics,
        BatchAccess batchAccess,
        @Nullable SubTaskCache cache,
        @Nullable RocksDBStores stores,
        @Nullable AutomaticSeparation automaticSeparation,
        List<BeforeSnapshot> beforeSnapshot) {}
