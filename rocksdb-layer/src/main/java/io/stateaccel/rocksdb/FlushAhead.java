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

import java.util.List;
import java.util.Map;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has RocksDB begin to write the memtables of all states before a checkpoint wants them written,
 * which asks for one state after the other and waits for each, while the task waits. {@link
 * FlushThreads} says how many are written at a time.
 */
final class FlushAhead {

    private static final Logger LOG = LoggerFactory.getLogger(FlushAhead.class);

    private final RocksDB db;

    FlushAhead(RocksDB db) {
        this.db = db;
    }

    /** Returns at once. */
    void start(Map<String, RocksDbKvStateInfo> states) {
        List<ColumnFamilyHandle> columnFamilies =
                states.values().stream().map(state -> state.columnFamilyHandle).toList();
        try (FlushOptions options = new FlushOptions().setWaitForFlush(false)) {
            db.flush(options, columnFamilies);
        } catch (RocksDBException e) {
            LOG.info("[state-accel] Memtables are not written ahead of a checkpoint.", e);
        }
    }
}
