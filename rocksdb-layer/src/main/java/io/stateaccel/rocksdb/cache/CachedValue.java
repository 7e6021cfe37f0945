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

/**
 * The value of a key, as its cache has just read it. There is one object per state, so it is to be
 * used before the cache is asked again.
 */
public final class CachedValue {

    /** Length of the value of a key that has none. */
    static final int ABSENT = -1;

    private byte[] bytes;
    private int offset;
    private int length;
    private int entry;

    /** The array that the serialised value is in; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where the value begins. */
    public int offset() {
        return offset;
    }

    /** The value's length; {@link #ABSENT} for none. */
    public int length() {
        return length;
    }

    public boolean isAbsent() {
        return length == ABSENT;
    }

    /** The key's entry in the cache; {@link EntryRecords#NONE} when it is not cached. */
    int entry() {
        return entry;
    }

    void set(byte[] bytes, int offset, int length, int entry) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
        this.entry = entry;
    }
}
