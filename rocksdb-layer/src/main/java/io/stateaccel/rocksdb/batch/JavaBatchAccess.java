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
package io.stateaccel.rocksdb.batch;

import java.util.Arrays;
import java.util.List;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A {@link BatchAccess} with RocksDB's Java API. It reads key by key, as {@code multiGetAsList}
 * costs as much, or up to a tenth more where all is in memory (JMH, {@code docs/benchmarks.md}).
 */
final class JavaBatchAccess implements BatchAccess {

    private final RocksDB db;
    private final ReadOptions reads;
    private final WriteOptions writes;

    JavaBatchAccess(RocksDB db, ReadOptions reads, WriteOptions writes) {
        this.db = db;
        this.reads = reads;
        this.writes = writes;
    }

    @Override
    public boolean readsInOneCall() {
        return false;
    }

    @Override
    public int read(
            ColumnFamilyHandle columnFamily, List<byte[]> keys, long mostBytes, Values values)
            throws RocksDBException {
        long bytes = 0;
        for (int done = 0; done < keys.size(); done++) {
            byte[] value = db.get(columnFamily, reads, keys.get(done));
            bytes += value == null ? 0 : value.length;
            if (bytes > mostBytes) {
                return done;
            }
            values.accept(keys.get(done), value);
        }
        return keys.size();
    }

    @Override
    public void write(byte[] batch, int length) throws RocksDBException {
        try (WriteBatch encoded = new WriteBatch(Arrays.copyOf(batch, length))) {
            db.write(writes, encoded);
        }
    }

    @Override
    public String toString() {
        return "Java";
    }
}
