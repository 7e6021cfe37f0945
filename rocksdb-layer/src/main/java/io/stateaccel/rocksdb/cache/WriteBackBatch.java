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
package io.stateaccel.rocksdb.cache;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Dirty entries on their way to RocksDB, in RocksDB's own encoding of a write batch (the one of its
 * write-ahead log: {@code db/write_batch.cc}), so that a batch crosses JNI once instead of once per
 * entry. Not thread-safe.
 */
final class WriteBackBatch {

    /** From this size on a batch should be written; one value may be larger. */
    static final int FULL_BYTES = 512 << 10;

    /** Sequence number (set by RocksDB when it writes) and number of records. */
    private static final int HEADER_BYTES = 12;

    private static final int COUNT_OFFSET = 8;
    private static final byte COLUMN_FAMILY_DELETION = 0x4;
    private static final byte COLUMN_FAMILY_VALUE = 0x5;
    private static final int MOST_VARINT_BYTES = 5;

    private final RocksDB db;
    private final WriteOptions options;

    private byte[] buffer = new byte[1 << 10];
    private int length = HEADER_BYTES;
    private int count;

    WriteBackBatch(RocksDB db, WriteOptions options) {
        this.db = db;
        this.options = options;
    }

    /** Adds the value of a key, which is right behind it in the same array. */
    void add(int columnFamilyId, byte[] content, int offset, int keyLength, int valueLength) {
        begin(COLUMN_FAMILY_VALUE, columnFamilyId, keyLength + valueLength);
        putBytes(content, offset, keyLength);
        putBytes(content, offset + keyLength, valueLength);
    }

    /** Adds that a key has no value. */
    void addRemoval(int columnFamilyId, byte[] content, int offset, int keyLength) {
        begin(COLUMN_FAMILY_DELETION, columnFamilyId, keyLength);
        putBytes(content, offset, keyLength);
    }

    private void begin(byte recordType, int columnFamilyId, int contentBytes) {
        ensureRoomFor(1 + 3 * MOST_VARINT_BYTES + contentBytes);
        buffer[length++] = recordType;
        putVarint(columnFamilyId);
        count++;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return length >= FULL_BYTES;
    }

    /** Writes the batch, if it holds anything, and empties it. */
    void write() throws RocksDBException {
        if (count == 0) {
            return;
        }
        ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN).putInt(COUNT_OFFSET, count);
        try (WriteBatch batch = new WriteBatch(Arrays.copyOf(buffer, length))) {
            db.write(options, batch);
        }
        length = HEADER_BYTES;
        count = 0;
        if (buffer.length > 2 * FULL_BYTES) {
            buffer = new byte[FULL_BYTES];
        }
    }

    private void putBytes(byte[] source, int from, int bytes) {
        putVarint(bytes);
        System.arraycopy(source, from, buffer, length, bytes);
        length += bytes;
    }

    private void putVarint(int value) {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            buffer[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[length++] = (byte) rest;
    }

    private void ensureRoomFor(int bytes) {
        if (buffer.length - length < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length << 1, length + bytes));
        }
    }
}
