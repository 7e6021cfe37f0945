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
package io.stateaccel.benchmarks;

import io.stateaccel.benchmarks.EvictionPolicy.CacheOfEntries;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How often each policy finds a key, and what it costs by itself: nanoseconds per access, to a
 * cache that is empty at first, without what a miss would cost in RocksDB. All policies have room
 * for the same number of entries and see the same keys, so hits can be compared to the last one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 5)
@Fork(3)
public class EvictionBenchmark {

    static final int ACCESSES = 1_000_000;

    private static final int KEY_BYTES = 16;
    private static final int VALUE_BYTES = 100;
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    @Param public AccessPattern pattern;

    @Param public EvictionPolicy policy;

    /** Entries that the cache has room for. */
    @Param("10000")
    public int room;

    private final byte[] stored = new byte[VALUE_BYTES];
    private long[] keys;
    private CacheOfEntries cache;

    /** Accesses by whether the cache held the key. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Accesses {
        public long hits;
        public long misses;
    }

    @Setup(Level.Trial)
    public void generate() {
        keys = pattern.keys(ACCESSES, room);
    }

    @Setup(Level.Iteration)
    public void empty() {
        cache = policy.withRoomFor(room);
    }

    @Benchmark
    @OperationsPerInvocation(ACCESSES)
    public void perAccess(Accesses accesses) {
        CpuProfiler.begin();
        long hits = 0;
        for (long number : keys) {
            // A new one each time, as the backend's key builder makes them.
            byte[] key = new byte[KEY_BYTES];
            LONGS.set(key, KEY_BYTES - Long.BYTES, number);
            if (cache.read(key, stored)) {
                hits++;
            }
        }
        CpuProfiler.end();
        accesses.hits += hits;
        accesses.misses += ACCESSES - hits;
    }
}
