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

import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.state.rocksdb.RocksDBMemoryControllerUtils;
import org.apache.flink.state.rocksdb.RocksDBOptions;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Microseconds per access to the state of a random key, by the size of the state: what an {@link
 * Operation} costs on Flink's RocksDB backend as shipped and with partitioned index and filters,
 * and on ours with next to no state cache, with and without its native library, and with the
 * default one. What other options of ours do by themselves, more {@link Backend}s show.
 *
 * <pre>{@code
 * mvn -q -pl benchmarks -am test-compile -Pjmh -Djmh.args="StateAccessBenchmark \
 *     -prof io.stateaccel.benchmarks.CpuProfiler -rf json -rff target/state-access.json"
 * tools/jmh-table --rows operation --columns backend benchmarks/target/state-access.json
 * }</pre>
 *
 * <p>{@code task} of {@link CpuProfiler} is the access itself, {@code background} what writes leave
 * to flushes and compactions. Both leave out waiting for a disk, so the files, up to a quarter of a
 * GiB, should fit into the page cache. {@code LIST_APPEND} makes the state grow while it is
 * measured; nothing that it does reads what is there.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
// The heap of a task manager of Flink's default size, which decides how large the state cache is.
@Fork(value = 1, jvmArgsAppend = "-Xmx512m")
public class StateAccessBenchmark {

    /** Accesses between two looks at the clocks. */
    static final int ACCESSES = 100;

    @Param({"STOCK_ROCKSDB", "STOCK_PARTITIONED", "LAYER", "LAYER_JAVA", "ACCELERATED_ROCKSDB"})
    public Backend backend;

    /** Size of the state, uncompressed, in sizes of the block cache. */
    @Param({"0.5", "4", "16"})
    public double blockCaches;

    /** Block cache and write buffers of RocksDB. */
    @Param("32")
    public int memoryMiB;

    /** JMH varies the last parameter, by name, first: what is filled serves several operations. */
    @Param public Operation operation;

    private FilledState state;

    @Setup(Level.Trial)
    public void open() throws Exception {
        MemorySize memory = MemorySize.ofMebiBytes(memoryMiB);
        long blockCache =
                RocksDBMemoryControllerUtils.calculateActualCacheCapacity(
                        memory.getBytes(), RocksDBOptions.WRITE_BUFFER_RATIO.defaultValue());
        state =
                FilledState.open(
                        operation.layout, (long) (blockCaches * blockCache), backend, memory);
    }

    @Benchmark
    @OperationsPerInvocation(ACCESSES)
    public long perAccess() throws Exception {
        CpuProfiler.begin();
        long rows = 0;
        for (int i = 0; i < ACCESSES; i++) {
            rows += operation.perform(state);
        }
        CpuProfiler.end();
        if (rows != (long) ACCESSES * operation.rows) {
            throw new IllegalStateException(
                    ACCESSES + " times " + operation + " were " + rows + " rows");
        }
        return rows;
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        state.close();
    }
}
