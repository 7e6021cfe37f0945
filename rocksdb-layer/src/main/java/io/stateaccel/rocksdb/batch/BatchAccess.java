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

import java.util.List;
import javax.annotation.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;

/**
 * Reads many keys, and writes many, by as few calls of RocksDB as can be. Used by one thread.
 *
 * <p>Two implementations: {@link JavaBatchAccess} with RocksDB's Java API, and {@link
 * NativeBatchAccess}, for which keys and values cross JNI packed in a buffer. {@link BatchAccesses}
 * chooses.
 */
public interface BatchAccess {

    /** Whether to {@link #read} many keys costs less than to read each by itself. */
    boolean readsInOneCall();

    /**
     * Reads keys, in their order, until so many bytes of values have been found.
     *
     * @param keys in the order of RocksDB, each once
     * @param mostBytes of values; the one that exceeds them is not taken
     * @param values takes what was found
     * @return how many keys were read, from the first one on
     */
    int read(ColumnFamilyHandle columnFamily, List<byte[]> keys, long mostBytes, Values values)
            throws RocksDBException;

    /**
     * Writes a batch.
     *
     * @param batch the first bytes of this are the batch, in RocksDB's encoding of one
     * @param length how many of them
     */
    void write(byte[] batch, int length) throws RocksDBException;

    /** Takes what was read. */
    interface Values {

        /**
         * @param key one of those that were given
         * @param value in an array of its own, null when there is none
         */
        void accept(byte[] key, @Nullable byte[] value);
    }
}
