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

import io.stateaccel.rocksdb.jni.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import javax.annotation.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * A {@link BatchAccess} that gives and gets keys and values packed in buffers, where the Java API
 * needs several calls of JNI, and arrays or objects of RocksDB, for each. A value larger than the
 * buffer is not taken.
 */
final class NativeBatchAccess implements BatchAccess {

    private static final int VALUES_BYTES = 128 << 10;
    private static final int FEWEST_KEY_BYTES = 16 << 10;

    private final NativeLibrary library;
    private final RocksDB db;
    private final ReadOptions reads;
    private final WriteOptions writes;

    /** Both not before they are needed: many sub-tasks read no batch. */
    @Nullable private ByteBuffer packedKeys;

    @Nullable private ByteBuffer packedValues;

    NativeBatchAccess(NativeLibrary library, RocksDB db, ReadOptions reads, WriteOptions writes) {
        this.library = library;
        this.db = db;
        this.reads = reads;
        this.writes = writes;
    }

    @Override
    public boolean readsInOneCall() {
        return true;
    }

    @Override
    public int read(
            ColumnFamilyHandle columnFamily, List<byte[]> keys, long mostBytes, Values values)
            throws RocksDBException {
        pack(keys);
        long bytes = 0;
        int done = 0;
        int position = 0;
        while (done < keys.size()) {
            int read =
                    library.multiGet(
                            db,
                            columnFamily,
                            reads,
                            packedKeys,
                            position,
                            keys.size() - done,
                            packedValues);
            packedValues.clear();
            for (int i = 0; i < read; i++) {
                byte[] key = keys.get(done);
                int length = packedValues.getInt();
                byte[] value = null;
                if (length != NativeLibrary.ABSENT) {
                    bytes += length == NativeLibrary.LARGER_THAN_BUFFER ? mostBytes + 1 : length;
                    if (bytes > mostBytes) {
                        return done;
                    }
                    value = new byte[length];
                    packedValues.get(value);
                }
                values.accept(key, value);
                position += Integer.BYTES + key.length;
                done++;
            }
        }
        return done;
    }

    private void pack(List<byte[]> keys) {
        int bytes = 0;
        for (int i = 0; i < keys.size(); i++) {
            bytes += Integer.BYTES + keys.get(i).length;
        }
        if (packedKeys == null || packedKeys.capacity() < bytes) {
            packedKeys = allocate(Math.max(FEWEST_KEY_BYTES, 2 * bytes));
        }
        if (packedValues == null) {
            packedValues = allocate(VALUES_BYTES);
        }
        packedKeys.clear();
        for (int i = 0; i < keys.size(); i++) {
            packedKeys.putInt(keys.get(i).length).put(keys.get(i));
        }
    }

    private static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    @Override
    public void write(byte[] batch, int length) throws RocksDBException {
        library.write(db, writes, batch, length);
    }

    @Override
    public String toString() {
        return "native";
    }
}
