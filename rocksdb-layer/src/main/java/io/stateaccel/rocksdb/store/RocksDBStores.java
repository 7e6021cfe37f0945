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
package io.stateaccel.rocksdb.store;

import io.stateaccel.rocksdb.batch.BatchAccess;
import io.stateaccel.rocksdb.batch.ReadAhead;
import io.stateaccel.rocksdb.batch.WriteBuffer;
import io.stateaccel.rocksdb.metrics.StateAccess;
import io.stateaccel.rocksdb.prefix.KeyLayout;
import io.stateaccel.rocksdb.prefix.PrefixReader;
import java.io.Closeable;
import java.util.List;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * The {@link KeyValueStore}s of one database, a column family each, and their pending writes. Used
 * by the task thread only.
 */
public final class RocksDBStores implements PendingWrites, Closeable {

    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final BatchAccess batchAccess;
    private final PrefixReader prefixReader;
    private final WriteBuffer batch;

    /**
     * @param writeOptions closed by the caller, after the last write
     * @param batchAccess to {@code db}
     * @param prefixReader of {@code db}; closed with this
     */
    public RocksDBStores(
            RocksDB db,
            WriteOptions writeOptions,
            BatchAccess batchAccess,
            PrefixReader prefixReader) {
        this.db = db;
        this.writeOptions = writeOptions;
        this.batchAccess = batchAccess;
        this.prefixReader = prefixReader;
        this.batch = new WriteBuffer(batchAccess, db, writeOptions);
    }

    /**
     * The store of a column family.
     *
     * @param layout of its keys if it has a prefix extractor for it, else null
     * @param access counts what reaches the column family
     */
    public KeyValueStore of(
            ColumnFamilyHandle columnFamily, @Nullable KeyLayout layout, StateAccess access) {
        return new ColumnFamilyStore(columnFamily, layout, access);
    }

    @Override
    public boolean isFull() {
        return batch.isFull();
    }

    @Override
    public void write() throws RocksDBException {
        batch.write();
    }

    @Override
    public void close() {
        prefixReader.close();
    }

    private final class ColumnFamilyStore implements KeyValueStore {

        private final ColumnFamilyHandle columnFamily;
        private final WriteBuffer.Target target;
        @Nullable private final KeyLayout layout;
        private final StateAccess access;
        private final ReadAhead ahead;

        ColumnFamilyStore(
                ColumnFamilyHandle columnFamily, @Nullable KeyLayout layout, StateAccess access) {
            this.columnFamily = columnFamily;
            this.target = WriteBuffer.Target.of(columnFamily);
            this.layout = layout;
            this.access = access;
            this.ahead = new ReadAhead(batchAccess, access);
        }

        @Override
        @Nullable
        public byte[] get(byte[] key) throws RocksDBException {
            int read = ahead.find(key);
            if (read != ReadAhead.NONE) {
                return ahead.take(read);
            }
            batch.write();
            long begun = access.beginRead();
            byte[] value = db.get(columnFamily, key);
            access.readEnded(begun, value);
            return value;
        }

        @Override
        public boolean getsAhead() {
            return ahead.isWorthwhile();
        }

        @Override
        public void getAhead(List<byte[]> keys) throws RocksDBException {
            ahead.read(columnFamily, keys);
        }

        @Override
        public void forget(byte[] key) {
            ahead.forget(key);
        }

        @Override
        public void forgetAll() {
            ahead.clear();
        }

        @Override
        public boolean scan(
                byte[] prefix,
                @Nullable byte[] after,
                boolean withValues,
                int maxEntries,
                BiConsumer<byte[], byte[]> entries)
                throws RocksDBException {
            long begun = access.beginScan();
            boolean more =
                    prefixReader.read(
                            columnFamily, layout, prefix, after, withValues, maxEntries, entries);
            access.scanEnded(begun);
            return more;
        }

        @Override
        public void put(byte[] key, byte[] value, int valueLength) throws RocksDBException {
            ahead.forget(key);
            access.written(valueLength);
            db.put(columnFamily, writeOptions, key, 0, key.length, value, 0, valueLength);
        }

        @Override
        public void merge(byte[] key, byte[] added) throws RocksDBException {
            ahead.forget(key);
            access.merged();
            db.merge(columnFamily, writeOptions, key, added);
        }

        @Override
        public void remove(byte[] key) throws RocksDBException {
            ahead.forget(key);
            access.written();
            db.delete(columnFamily, writeOptions, key);
        }

        @Override
        public void add(byte[] content, int offset, int keyLength, int valueLength)
                throws RocksDBException {
            access.written(valueLength);
            batch.add(target, content, offset, keyLength, valueLength);
        }

        @Override
        public void add(byte[] key, byte[] value) throws RocksDBException {
            access.written(value.length);
            batch.add(target, key, value);
        }

        @Override
        public void addMerge(
                byte[] key,
                int keyOffset,
                int keyLength,
                byte[] added,
                int addedOffset,
                int addedLength)
                throws RocksDBException {
            access.merged();
            batch.addMerge(target, key, keyOffset, keyLength, added, addedOffset, addedLength);
        }

        @Override
        public void addRemoval(byte[] content, int offset, int keyLength) throws RocksDBException {
            access.written();
            batch.addRemoval(target, content, offset, keyLength);
        }
    }
}
