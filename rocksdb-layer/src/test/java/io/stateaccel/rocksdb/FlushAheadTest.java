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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

class FlushAheadTest {

    @TempDir private Path directory;

    @Test
    void noMemtableIsLeftToBeginWith() throws Exception {
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        List<ColumnFamilyDescriptor> families =
                List.of(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY),
                        new ColumnFamilyDescriptor("left".getBytes()),
                        new ColumnFamilyDescriptor("right".getBytes()));
        try (DBOptions options =
                        new DBOptions()
                                .setCreateIfMissing(true)
                                .setCreateMissingColumnFamilies(true);
                RocksDB db = RocksDB.open(options, directory.toString(), families, handles)) {
            Map<String, RocksDbKvStateInfo> states = new HashMap<>();
            for (ColumnFamilyHandle handle : handles.subList(1, 3)) {
                db.put(handle, new byte[] {1}, new byte[100]);
                states.put(new String(handle.getName()), new RocksDbKvStateInfo(handle, null));
            }
            new FlushAhead(db).start(states);

            for (ColumnFamilyHandle handle : handles.subList(1, 3)) {
                assertThat(db.getLongProperty(handle, "rocksdb.num-entries-active-mem-table"))
                        .isZero();
                assertThat(db.get(handle, new byte[] {1})).hasSize(100);
            }
            handles.forEach(ColumnFamilyHandle::close);
        }
    }
}
