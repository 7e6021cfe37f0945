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
import org.apache.flink.table.data.RowData;
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
 * Microseconds per input row of a row-time interval join over state that is larger than RocksDB's
 * memory, with wide rows and mostly absent keys ({@link IntervalStream}): Flink's operator and ours
 * on Flink's RocksDB backend, on ours, and on the heap.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 20)
@Fork(value = 1, jvmArgsAppend = "-Xmx6g")
public class IntervalJoinBenchmark {

    /** Rows of one measured iteration. */
    static final int ROWS = 20_000;

    private static final int ROWS_PER_WATERMARK = 1_000;

    @Param public IntervalJoin join;

    @Param({"STOCK_ROCKSDB", "ACCELERATED_ROCKSDB", "HEAP"})
    public Backend backend;

    /** Milliseconds, and so rows, that are kept: the state is full before the first iteration. */
    @Param("600000")
    public int interval;

    @Param("500")
    public int payloadBytes;

    /** Block cache and write buffers of RocksDB. */
    @Param("64")
    public int memoryMiB;

    private final RowData[] rows = new RowData[ROWS];
    private IntervalStream stream;
    private FedOperator operator;

    @Setup(Level.Trial)
    public void open() throws Exception {
        stream = new IntervalStream(interval, payloadBytes);
        LongColumn key = new LongColumn(IntervalStream.KEY);
        operator =
                new FedOperator(
                        join.operator(interval),
                        key,
                        key,
                        backend,
                        MemorySize.ofMebiBytes(memoryMiB));
        for (int filled = 0; filled < interval; filled += ROWS) {
            generate();
            perRow();
        }
    }

    @Setup(Level.Iteration)
    public void generate() {
        for (int i = 0; i < ROWS; i++) {
            rows[i] = stream.next();
        }
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long perRow() throws Exception {
        CpuProfiler.begin();
        for (RowData row : rows) {
            long time = row.getLong(IntervalStream.TIME);
            if (time % 2 == 0) {
                operator.left(row);
            } else {
                operator.right(row);
            }
            if (time % ROWS_PER_WATERMARK == 0) {
                operator.watermark(time - 1);
            }
        }
        CpuProfiler.end();
        return operator.emitted();
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        operator.close();
    }
}
