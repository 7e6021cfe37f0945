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

/** What objects cost on the heap of a 64-bit HotSpot JVM with 8-byte alignment, in bytes. */
final class BytesOnHeap {

    /** From this heap size on HotSpot does not compress references. */
    private static final long LARGEST_HEAP_WITH_COMPRESSED_REFERENCES = 32L << 30;

    static final int REFERENCE =
            Runtime.getRuntime().maxMemory() < LARGEST_HEAP_WITH_COMPRESSED_REFERENCES ? 4 : 8;

    private static final int ARRAY_HEADER = 16;

    private BytesOnHeap() {}

    static int align(int bytes) {
        return (bytes + 7) & ~7;
    }

    static int byteArray(int length) {
        return align(ARRAY_HEADER + length);
    }
}
