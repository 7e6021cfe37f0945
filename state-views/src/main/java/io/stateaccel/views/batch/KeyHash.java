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
package io.stateaccel.views.batch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A hash of serialised keys, eight bytes at a time; all 32 bits of the result are usable, and it is
 * never 0. Part of snapshots ({@link io.stateaccel.views.distinct.PackedMap}), so the same for
 * ever.
 */
public final class KeyHash {

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Odd constants with well spread bits (2^64 / golden ratio, and MurmurHash3's finaliser). */
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private static final long MIX = 0xFF51AFD7ED558CCDL;

    private KeyHash() {}

    public static int of(byte[] key) {
        return of(key, 0, key.length);
    }

    /** The hash of a part of an array. */
    public static int of(byte[] bytes, int from, int length) {
        final int end = from + length;
        long hash = length * STEP;
        int i = from;
        for (; i + Long.BYTES <= end; i += Long.BYTES) {
            hash = mix(hash ^ (long) LONGS.get(bytes, i));
        }
        long rest = 0;
        for (; i < end; i++) {
            rest = rest << Byte.SIZE | bytes[i] & 0xFF;
        }
        hash = mix(hash ^ rest);
        int result = (int) (hash >>> Integer.SIZE);
        return result == 0 ? 1 : result;
    }

    private static long mix(long hash) {
        final long mixed = (hash ^ hash >>> 32) * MIX;
        return (mixed ^ mixed >>> 29) * STEP;
    }
}
