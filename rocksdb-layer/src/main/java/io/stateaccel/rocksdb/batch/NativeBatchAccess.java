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
 * needs several calls of JNI, and arrays or objects of RocksDB, for each. Keys that do not fit
 * their buffer together take several calls, and one that is larger than it is read by the Java API.
 * A value larger than the other buffer is not taken.
 */
final class NativeBatchAccess implements BatchAccess {

    private static final int VALUES_BYTES = 512 << 10;
    private static final int FEWEST_KEY_BYTES = 16 << 10;
    private static final int MOST_KEY_BYTES = 128 << 10;

    private final NativeLibrary library;
    private final RocksDB db;
    private final ReadOptions reads;
    private final WriteOptions writes;
    private final int mostKeyBytes;

    /** Both not before they are needed: many sub-tasks read no batch. */
    @Nullable private ByteBuffer packedKeys;

    @Nullable private ByteBuffer packedValues;

    NativeBatchAccess(NativeLibrary library, RocksDB db, ReadOptions reads, WriteOptions writes) {
        this(library, db, reads, writes, MOST_KEY_BYTES);
    }

    /**
     * @param mostKeyBytes that the buffer of keys may have, at least 4
     */
    NativeBatchAccess(
            NativeLibrary library,
            RocksDB db,
            ReadOptions reads,
            WriteOptions writes,
            int mostKeyBytes) {
        this.library = library;
        this.db = db;
        this.reads = reads;
        this.writes = writes;
        this.mostKeyBytes = mostKeyBytes;
    }

    @Override
    public boolean readsInOneCall() {
        return true;
    }

    @Override
    public int read(
            ColumnFamilyHandle columnFamily, List<byte[]> keys, long mostBytes, Values values)
            throws RocksDBException {
        long left = mostBytes;
        int done = 0;
        while (done < keys.size()) {
            int packed = pack(keys, done);
            if (packed == 0) {
                byte[] key = keys.get(done);
                byte[] value = db.get(columnFamily, reads, key);
                left -= value == null ? 0 : value.length;
                if (left < 0) {
                    return done;
                }
                values.accept(key, value);
                done++;
            }
            int end = done + packed;
            int position = 0;
            while (done < end) {
                int read =
                        library.multiGet(
                                db,
                                columnFamily,
                                reads,
                                packedKeys,
                                position,
                                end - done,
                                packedValues);
                packedValues.clear();
                for (int i = 0; i < read; i++) {
                    byte[] key = keys.get(done);
                    int length = packedValues.getInt();
                    byte[] value = null;
                    if (length != NativeLibrary.ABSENT) {
                        left -= length;
                        if (length == NativeLibrary.LARGER_THAN_BUFFER || left < 0) {
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
        }
        return done;
    }

    /**
     * Fills the buffer of keys.
     *
     * @param from the first key to go there
     * @return how many have found room; none if the first one is larger than the buffer may be
     */
    private int pack(List<byte[]> keys, int from) {
        int end = from;
        int bytes = 0;
        while (end < keys.size() && keys.get(end).length <= mostKeyBytes - Integer.BYTES - bytes) {
            bytes += Integer.BYTES + keys.get(end).length;
            end++;
        }
        makeRoom(bytes);
        for (int i = from; i < end; i++) {
            packedKeys.putInt(keys.get(i).length).put(keys.get(i));
        }
        return end - from;
    }

    private void makeRoom(int keyBytes) {
        if (packedKeys == null || packedKeys.capacity() < keyBytes) {
            packedKeys = allocate(Math.min(mostKeyBytes, Math.max(FEWEST_KEY_BYTES, 2 * keyBytes)));
        }
        packedKeys.clear();
        if (packedValues == null) {
            packedValues = allocate(VALUES_BYTES);
        }
    }

    private static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** The size of the buffer of keys. */
    int keyBufferBytes() {
        return packedKeys == null ? 0 : packedKeys.capacity();
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
