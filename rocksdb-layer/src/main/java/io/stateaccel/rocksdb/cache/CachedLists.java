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

import io.stateaccel.views.batch.KeyHash;
import java.util.List;
import javax.annotation.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The cache of a state of lists: serialised lists, as RocksDB has them, in front of it.
 *
 * <p>A list comes into the cache when it is read, or found not to be there; from then on what is
 * added to it stays here, and goes to RocksDB as one operand to merge when the list leaves, or is
 * written back. What is added to a list that is not here goes to RocksDB as ever, without a look at
 * what there is.
 *
 * <p>Used by the task thread only.
 */
public final class CachedLists {

    /** What RocksDB's operator for lists puts between elements. */
    public static final byte DELIMITER = ',';

    private final StateCache cache;

    CachedLists(StateCache cache) {
        this.cache = cache;
    }

    /** Whether {@link #readAhead} is faster than {@link #read}. */
    public boolean readsAhead() {
        return cache.readsAhead();
    }

    /**
     * Reads from RocksDB in one go what is not in the cache of these keys, for {@link #read}.
     *
     * @param keys changed
     */
    public void readAhead(List<byte[]> keys) throws RocksDBException {
        cache.readAhead(keys);
    }

    /**
     * Reads a list.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @return the list's bytes, to be used before the next call
     */
    public CachedValue read(byte[] key, boolean newVisit) throws RocksDBException {
        return cache.read(key, KeyHash.of(key), newVisit);
    }

    /** Writes back and forgets all lists. */
    public void forgetAll() throws RocksDBException {
        cache.writeBack();
        cache.clear();
    }

    /**
     * Adds elements to a list if it is here.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param elements with delimiters between them; taken from the start
     * @return false when it is not, and RocksDB is to add them
     */
    public boolean append(byte[] key, boolean newVisit, byte[] elements, int length)
            throws RocksDBException {
        return cache.append(key, KeyHash.of(key), newVisit, DELIMITER, elements, length);
    }

    /**
     * Puts other bytes in the place of as many of a list if that is here.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param offset in the list
     * @param bytes taken from the start
     * @return false when it is not, and RocksDB is to be written to
     */
    public boolean overwrite(byte[] key, boolean newVisit, int offset, byte[] bytes, int length)
            throws RocksDBException {
        return cache.overwriteIfCached(key, KeyHash.of(key), newVisit, offset, bytes, length);
    }

    /**
     * Sets a list if it is here.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param list null to remove it
     * @return false when it is not, and RocksDB is to be written to
     */
    public boolean replace(byte[] key, boolean newVisit, @Nullable byte[] list)
            throws RocksDBException {
        return cache.writeIfCached(
                key,
                KeyHash.of(key),
                newVisit,
                list,
                list == null ? CachedValue.ABSENT : list.length);
    }
}
