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

import io.stateaccel.flink.rocksdb.StockSettings;
import io.stateaccel.rocksdb.blob.ValueSeparation;
import io.stateaccel.rocksdb.cache.CacheSize;

/**
 * What the options say about building a backend, beyond RocksDB's own options.
 *
 * @param stock what Flink's own options say
 * @param level0MaxFiles files of level 0 that start a compaction, at most
 * @param valueSeparation which values are kept in blob files
 * @param manifestCheck whether a snapshot with a damaged MANIFEST is refused
 * @param keyGroupCheck whether parts of a snapshot with key groups in common are refused
 * @param acceleratorMetrics whether there are metrics beside those
 * @param sampleInterval one read of a state in so many is measured for them, 0 for none
 * @param cacheSize of the write-back cache
 * @param cacheBypassHitRatio hit ratio, 0 to 1, below which a state is not cached
 */
record RocksDBSettings(
        StockSettings stock,
        int level0MaxFiles,
        ValueSeparation valueSeparation,
        boolean manifestCheck,
        boolean keyGroupCheck,
        boolean acceleratorMetrics,
        int sampleInterval,
        CacheSize cacheSize,
        double cacheBypassHitRatio) {}
