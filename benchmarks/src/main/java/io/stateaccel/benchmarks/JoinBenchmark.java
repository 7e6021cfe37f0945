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
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
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
 * Microseconds per input row of the join of Nexmark's q4: Flink's operator on Flink's RocksDB
 * backend against ours on ours, and both on the heap.
 *
 * <p>Every variant sees the same rows over the same state, so runs are counted in rows and not in
 * seconds. The <em>state cost</em> of an operator is the CPU time of its thread ({@link
 * CpuProfiler}) on RocksDB minus that on the heap: (de)serialisation, native calls, and what is
 * read from files. What the heap itself costs is taken off from both; Flink's operator goes to the
 * state for every row and ours once per key of a bundle, so the difference flatters Flink.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 20)
@Fork(value = 2, jvmArgsAppend = "-Xmx6g")
public class JoinBenchmark {

    /** Rows of one measured iteration. */
    static final int ROWS = 5 * Q4Join.BUNDLE_SIZE;

    @Param public Q4Join join;

    @Param("INNER")
    public FlinkJoinType type;

    /** State TTL, which no row outlives; 0 for none. */
    @Param("0")
    public int ttlHours;

    /** Whether state is in RocksDB, else on the heap. */
    @Param({"true", "false"})
    public boolean rocksdb;

    /** Rows that have been joined before the first iteration. */
    @Param("1000000")
    public int rowsBefore;

    /** Block cache and write buffers of RocksDB. */
    @Param("256")
    public int memoryMiB;

    private final Q4Stream stream = new Q4Stream();
    private final RowData[] rows = new RowData[ROWS];
    private FedOperator operator;

    @Setup(Level.Trial)
    public void open() throws Exception {
        operator =
                new FedOperator(
                        join.operator(type, TimeUnit.HOURS.toMillis(ttlHours)),
                        new LongColumn(Q4Stream.AUCTION_ID),
                        new LongColumn(Q4Stream.BID_AUCTION),
                        rocksdb ? join.rocksdb() : Backend.HEAP,
                        MemorySize.ofMebiBytes(memoryMiB));
        for (int i = 0; i < rowsBefore; i++) {
            feed(stream.next());
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
            feed(row);
        }
        CpuProfiler.end();
        return operator.emitted();
    }

    private void feed(RowData row) throws Exception {
        if (Q4Stream.isAuction(row)) {
            operator.left(row);
        } else {
            operator.right(row);
        }
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        operator.close();
    }
}
