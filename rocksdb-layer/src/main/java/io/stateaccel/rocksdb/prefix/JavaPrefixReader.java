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

import java.util.Arrays;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.apache.flink.state.rocksdb.RocksDBOperationUtils;
import org.apache.flink.state.rocksdb.RocksIteratorWrapper;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** A {@link PrefixReader} that steps an iterator of RocksDB's Java API from entry to entry. */
final class JavaPrefixReader implements PrefixReader {

    private static final byte[] NO_VALUE = {};

    private final RocksDB db;
    private final ReadOptions totalOrder;
    private final ReadOptions withinPrefix;

    /**
     * @param totalOrder the backend's own options, not closed here
     */
    JavaPrefixReader(RocksDB db, ReadOptions totalOrder) {
        this.db = db;
        this.totalOrder = totalOrder;
        this.withinPrefix =
                new ReadOptions(totalOrder).setTotalOrderSeek(false).setPrefixSameAsStart(true);
    }

    /**
     * The options to read a prefix with. Iterators within a prefix are used only where the prefix
     * is exactly what the extractor takes for it, as any other one leaves entries out.
     */
    ReadOptions optionsFor(@Nullable KeyLayout layout, byte[] prefix) {
        return layout != null && layout.isPrefix(prefix) ? withinPrefix : totalOrder;
    }

    @Override
    public boolean read(
            ColumnFamilyHandle columnFamily,
            @Nullable KeyLayout layout,
            byte[] prefix,
            @Nullable byte[] after,
            boolean withValues,
            int maxEntries,
            BiConsumer<byte[], byte[]> entries)
            throws RocksDBException {
        try (RocksIteratorWrapper iterator =
                RocksDBOperationUtils.getRocksIterator(
                        db, columnFamily, optionsFor(layout, prefix))) {
            iterator.seek(after == null ? prefix : after);
            if (after != null && iterator.isValid() && Arrays.equals(after, iterator.key())) {
                iterator.next();
            }
            int read = 0;
            while (iterator.isValid()) {
                byte[] key = iterator.key();
                if (!startsWith(key, prefix)) {
                    return false;
                }
                if (read == maxEntries) {
                    return true;
                }
                entries.accept(key, withValues ? iterator.value() : NO_VALUE);
                read++;
                iterator.next();
            }
            return false;
        }
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    @Override
    public void close() {
        withinPrefix.close();
    }

    @Override
    public String toString() {
        return "Java";
    }
}
