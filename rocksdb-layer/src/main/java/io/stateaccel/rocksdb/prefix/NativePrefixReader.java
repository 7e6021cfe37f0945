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

import io.stateaccel.rocksdb.jni.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * A {@link PrefixReader} that gets the entries packed in one buffer by one call of native code,
 * where the Java API needs some seven calls and four arrays or objects for a single entry. An entry
 * larger than the buffer is read by {@link JavaPrefixReader}.
 */
final class NativePrefixReader implements PrefixReader {

    private static final int BUFFER_BYTES = 64 << 10;

    private final NativeLibrary library;
    private final RocksDB db;
    private final JavaPrefixReader java;

    /** Not before it is needed: many sub-tasks have no map. */
    @Nullable private ByteBuffer buffer;

    /**
     * @param totalOrder the backend's own options, not closed here
     */
    NativePrefixReader(NativeLibrary library, RocksDB db, ReadOptions totalOrder) {
        this.library = library;
        this.db = db;
        this.java = new JavaPrefixReader(db, totalOrder);
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
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.nativeOrder());
        }
        long needed =
                library.scan(
                        db,
                        columnFamily,
                        java.optionsFor(layout, prefix),
                        after == null ? prefix : after,
                        prefix.length,
                        after != null,
                        withValues,
                        maxEntries,
                        buffer);
        if (needed > 0) {
            return java.read(columnFamily, layout, prefix, after, withValues, 1, entries);
        }
        buffer.clear();
        int count = buffer.getInt();
        boolean more = buffer.getInt() == 1;
        for (int i = 0; i < count; i++) {
            int suffixLength = buffer.getInt();
            byte[] value = new byte[buffer.getInt()];
            byte[] key = Arrays.copyOf(prefix, prefix.length + suffixLength);
            buffer.get(key, prefix.length, suffixLength);
            buffer.get(value);
            entries.accept(key, value);
        }
        return more;
    }

    @Override
    public void close() {
        java.close();
    }

    @Override
    public String toString() {
        return "native";
    }
}
