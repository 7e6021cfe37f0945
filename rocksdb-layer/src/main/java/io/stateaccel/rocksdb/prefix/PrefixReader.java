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
package io.stateaccel.rocksdb.prefix;

import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;

/**
 * Reads the entries of a column family whose keys start with the same bytes. Used by one thread.
 *
 * <p>Two implementations: {@link JavaPrefixReader} with an iterator of RocksDB's Java API, and
 * {@link NativePrefixReader} with one call for all entries. {@link PrefixReaders} chooses.
 */
public interface PrefixReader extends AutoCloseable {

    /**
     * Reads some entries in the order of their keys. No iterator stays open, so what is written
     * afterwards is seen by the next call.
     *
     * @param layout of the column family's keys, if it has a prefix extractor for it; null reads
     *     without one
     * @param prefix key group, key and namespace
     * @param after the key after which to start, of those that start with the prefix; null for the
     *     first
     * @param withValues whether values are wanted, else they are empty
     * @param maxEntries at least 1; fewer are read if they are large
     * @param entries takes keys and values, in arrays of their own
     * @return whether there may be more
     */
    boolean read(
            ColumnFamilyHandle columnFamily,
            @Nullable KeyLayout layout,
            byte[] prefix,
            @Nullable byte[] after,
            boolean withValues,
            int maxEntries,
            BiConsumer<byte[], byte[]> entries)
            throws RocksDBException;

    @Override
    void close();
}
