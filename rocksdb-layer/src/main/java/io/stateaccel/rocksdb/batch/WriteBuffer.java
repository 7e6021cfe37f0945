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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.rocksdb.RocksDBException;

/**
 * Writes on their way to RocksDB, in RocksDB's own encoding of a write batch (the one of its
 * write-ahead log: {@code db/write_batch.cc}), so that many of them are one call. Not thread-safe.
 */
public final class WriteBuffer {

    /** From this size on a batch should be written; one value may be larger. */
    public static final int FULL_BYTES = 512 << 10;

    /** Sequence number (set by RocksDB when it writes) and number of records. */
    private static final int HEADER_BYTES = 12;

    private static final int COUNT_OFFSET = 8;
    private static final byte COLUMN_FAMILY_DELETION = 0x4;
    private static final byte COLUMN_FAMILY_VALUE = 0x5;
    private static final byte COLUMN_FAMILY_MERGE = 0x6;
    private static final int MOST_VARINT_BYTES = 5;

    private final BatchAccess access;

    private byte[] buffer = new byte[1 << 10];
    private int length = HEADER_BYTES;
    private int count;

    /**
     * @param access to the database
     */
    public WriteBuffer(BatchAccess access) {
        this.access = access;
    }

    /** Adds the value of a key, which is right behind it in the same array. */
    public void add(
            int columnFamilyId, byte[] content, int offset, int keyLength, int valueLength) {
        begin(COLUMN_FAMILY_VALUE, columnFamilyId, keyLength + valueLength);
        putBytes(content, offset, keyLength);
        putBytes(content, offset + keyLength, valueLength);
    }

    /** Adds that a key has no value. */
    public void addRemoval(int columnFamilyId, byte[] content, int offset, int keyLength) {
        begin(COLUMN_FAMILY_DELETION, columnFamilyId, keyLength);
        putBytes(content, offset, keyLength);
    }

    /** Adds an operand for RocksDB to merge into what the key has. */
    public void addMerge(int columnFamilyId, byte[] key, byte[] operand) {
        begin(COLUMN_FAMILY_MERGE, columnFamilyId, key.length + operand.length);
        putBytes(key, 0, key.length);
        putBytes(operand, 0, operand.length);
    }

    private void begin(byte recordType, int columnFamilyId, int contentBytes) {
        ensureRoomFor(1 + 3 * MOST_VARINT_BYTES + contentBytes);
        buffer[length++] = recordType;
        putVarint(columnFamilyId);
        count++;
    }

    public int count() {
        return count;
    }

    public boolean isFull() {
        return length >= FULL_BYTES;
    }

    /** Writes the batch, if it holds anything, and empties it. */
    public void write() throws RocksDBException {
        if (count == 0) {
            return;
        }
        ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN).putInt(COUNT_OFFSET, count);
        access.write(buffer, length);
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
