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

import java.util.List;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.rocksdb.RocksDBException;

/**
 * What is behind the cache of one state: serialised keys and their values. Each write is seen by
 * what is read after it; but what was {@linkplain #add added} not by {@link #getAhead} and {@link
 * #scan}, nor by what is {@linkplain #put put} at once, before the {@link PendingWrites} are
 * written, so these come first. Used by the task thread only.
 */
public interface KeyValueStore {

    /**
     * Reads a key. Writes what is pending before, unless the key was {@linkplain #getAhead read
     * ahead}.
     *
     * @param key not changed and not kept
     * @return in an array of its own, null when the key has no value
     */
    @Nullable
    byte[] get(byte[] key) throws RocksDBException;

    /** Whether keys that were {@linkplain #getAhead read ahead} cost less than others. */
    boolean getsAhead();

    /**
     * Reads keys in one go, as many as seem sensible, for a {@link #get} of each.
     *
     * @param keys each once; brought into another order
     */
    void getAhead(List<byte[]> keys) throws RocksDBException;

    /** Drops what was read ahead of a key: to be called when another value is kept in front. */
    void forget(byte[] key);

    /** Drops all that was read ahead. */
    void forgetAll();

    /**
     * Reads some entries in the order of their keys. Nothing stays open, so what is written
     * afterwards is seen by the next call.
     *
     * @param prefix key group, key and namespace, with which all keys start
     * @param after the key after which to start, of those that start with the prefix; null for the
     *     first
     * @param withValues whether values are wanted, else they are empty
     * @param maxEntries at least 1; fewer are read if they are large
     * @param entries takes keys and values, in arrays of their own
     * @return whether there may be more
     */
    boolean scan(
            byte[] prefix,
            @Nullable byte[] after,
            boolean withValues,
            int maxEntries,
            BiConsumer<byte[], byte[]> entries)
            throws RocksDBException;

    /** Writes the value of a key, the first bytes of an array, at once. */
    void put(byte[] key, byte[] value, int valueLength) throws RocksDBException;

    /** Has RocksDB merge something into the value of a key, at once. */
    void merge(byte[] key, byte[] added) throws RocksDBException;

    /** Writes that a key has no value, at once. */
    void remove(byte[] key) throws RocksDBException;

    /**
     * Adds a value to the pending writes; its key is right before it in the same array. If these
     * are full they are written before, and what throws then has not been added.
     */
    void add(byte[] content, int offset, int keyLength, int valueLength) throws RocksDBException;

    /** As {@link #add}, with key and value in arrays of their own. */
    void add(byte[] key, byte[] value) throws RocksDBException;

    /** As {@link #add}, something that RocksDB is to merge into the value of a key. */
    void addMerge(
            byte[] key,
            int keyOffset,
            int keyLength,
            byte[] added,
            int addedOffset,
            int addedLength)
            throws RocksDBException;

    /** As {@link #add}, that a key has no value. */
    void addRemoval(byte[] content, int offset, int keyLength) throws RocksDBException;
}
