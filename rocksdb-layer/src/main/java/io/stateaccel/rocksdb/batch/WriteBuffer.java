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
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * Writes on their way to RocksDB, in RocksDB's own encoding of a write batch (the one of its
 * write-ahead log: {@code db/write_batch.cc}), so that many of them are one call.
 *
 * <p>Holds no more than twice {@value #FULL_BYTES} bytes: what is full is written before more is
 * added, and a record that would fill it alone is written by itself, behind what came before. So
 * adding may write, and what throws then has not been added. Not thread-safe.
 */
public final class WriteBuffer {

    /** From this size on a batch should be written. */
    private static final int FULL_BYTES = 512 << 10;

    private static final int FIRST_BYTES = 1 << 10;

    /** Sequence number (set by RocksDB when it writes) and number of records. */
    private static final int HEADER_BYTES = 12;

    private static final int COUNT_OFFSET = 8;
    private static final byte COLUMN_FAMILY_DELETION = 0x4;
    private static final byte COLUMN_FAMILY_VALUE = 0x5;
    private static final byte COLUMN_FAMILY_MERGE = 0x6;

    /** The type of a record, and with at most five bytes each a number and two lengths. */
    private static final int MOST_BYTES_BESIDE_CONTENT = 1 + 3 * 5;

    private final BatchAccess access;
    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final int fullBytes;

    private byte[] buffer;
    private int length = HEADER_BYTES;
    private int count;

    /**
     * Where to write.
     *
     * @param id of the column family, which is a call of JNI to find out
     */
    public record Target(ColumnFamilyHandle columnFamily, int id) {

        public static Target of(ColumnFamilyHandle columnFamily) {
            return new Target(columnFamily, columnFamily.getID());
        }
    }

    /**
     * @param access to the database
     * @param writeOptions for what is written by itself; closed by the caller, after the last write
     */
    public WriteBuffer(BatchAccess access, RocksDB db, WriteOptions writeOptions) {
        this(access, db, writeOptions, FULL_BYTES);
    }

    /**
     * @param fullBytes from which on a batch should be written
     */
    WriteBuffer(BatchAccess access, RocksDB db, WriteOptions writeOptions, int fullBytes) {
        this.access = access;
        this.db = db;
        this.writeOptions = writeOptions;
        this.fullBytes = fullBytes;
        this.buffer = new byte[Math.min(FIRST_BYTES, fullBytes)];
    }

    /** Adds the value of a key, which is right behind it in the same array. */
    public void add(Target target, byte[] content, int offset, int keyLength, int valueLength)
            throws RocksDBException {
        int valueOffset = offset + keyLength;
        if (begin(COLUMN_FAMILY_VALUE, target, (long) keyLength + valueLength)) {
            putBytes(content, offset, keyLength);
            putBytes(content, valueOffset, valueLength);
        } else {
            db.put(
                    target.columnFamily,
                    writeOptions,
                    content,
                    offset,
                    keyLength,
                    content,
                    valueOffset,
                    valueLength);
        }
    }

    /** Adds the value of a key. */
    public void add(Target target, byte[] key, byte[] value) throws RocksDBException {
        if (begin(COLUMN_FAMILY_VALUE, target, (long) key.length + value.length)) {
            putBytes(key, 0, key.length);
            putBytes(value, 0, value.length);
        } else {
            db.put(target.columnFamily, writeOptions, key, value);
        }
    }

    /** Adds that a key has no value. */
    public void addRemoval(Target target, byte[] content, int offset, int keyLength)
            throws RocksDBException {
        if (begin(COLUMN_FAMILY_DELETION, target, keyLength)) {
            putBytes(content, offset, keyLength);
        } else {
            db.delete(target.columnFamily, writeOptions, content, offset, keyLength);
        }
    }

    /** Adds an operand for RocksDB to merge into what the key has. */
    public void addMerge(
            Target target,
            byte[] key,
            int keyOffset,
            int keyLength,
            byte[] operand,
            int operandOffset,
            int operandLength)
            throws RocksDBException {
        if (begin(COLUMN_FAMILY_MERGE, target, (long) keyLength + operandLength)) {
            putBytes(key, keyOffset, keyLength);
            putBytes(operand, operandOffset, operandLength);
        } else {
            db.merge(
                    target.columnFamily,
                    writeOptions,
                    key,
                    keyOffset,
                    keyLength,
                    operand,
                    operandOffset,
                    operandLength);
        }
    }

    /**
     * Begins a record.
     *
     * @return false if it is too long for the buffer, which is empty then
     */
    private boolean begin(byte recordType, Target target, long contentBytes)
            throws RocksDBException {
        boolean fits = contentBytes <= fullBytes - MOST_BYTES_BESIDE_CONTENT;
        if (!fits || isFull()) {
            write();
        }
        if (fits) {
            ensureRoomFor(MOST_BYTES_BESIDE_CONTENT + (int) contentBytes);
            buffer[length++] = recordType;
            putVarint(target.id);
            count++;
        }
        return fits;
    }

    public int count() {
        return count;
    }

    public boolean isFull() {
        return length >= fullBytes;
    }

    /** Heap for records. */
    int heldBytes() {
        return buffer.length;
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

    /** Grows to twice the size of a full batch at most, as less than one is in it. */
    private void ensureRoomFor(int bytes) {
        if (buffer.length - length < bytes) {
            buffer =
                    Arrays.copyOf(
                            buffer,
                            Math.min(2 * fullBytes, Math.max(2 * buffer.length, length + bytes)));
        }
    }
}
