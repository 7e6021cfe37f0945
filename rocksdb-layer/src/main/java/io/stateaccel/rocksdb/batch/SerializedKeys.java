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

import java.util.ArrayList;
import java.util.List;

/**
 * Keys to read ahead, as RocksDB has them: no more than {@value #MOST_BYTES} bytes, as they wait on
 * the heap with what was read. Those that are left out are read by themselves. Used by one thread.
 */
public final class SerializedKeys {

    /** A quarter of what values may take, see {@link ReadAhead}. */
    private static final int MOST_BYTES = 1 << 20;

    /** An array's header and a reference to it. */
    private static final int BYTES_BESIDE = 24;

    private final int mostBytes;
    private final List<byte[]> keys = new ArrayList<>();
    private long bytes;

    public SerializedKeys() {
        this(MOST_BYTES);
    }

    /**
     * @param mostBytes of heap for keys
     */
    SerializedKeys(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /**
     * Takes a key that was not taken before, if there is room for it.
     *
     * @return whether it was taken; if not, there is no use in serialising more
     */
    public boolean add(byte[] key) {
        bytes += BYTES_BESIDE + key.length;
        return bytes <= mostBytes && keys.add(key);
    }

    /** What was taken; the caller may change it. */
    public List<byte[]> list() {
        return keys;
    }
}
