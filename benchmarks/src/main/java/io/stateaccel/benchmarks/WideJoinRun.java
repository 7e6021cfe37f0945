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

import com.sun.management.OperatingSystemMXBean;
import io.stateaccel.benchmarks.WideJoinDatabase.Files;
import io.stateaccel.benchmarks.WideJoinDatabase.Work;
import io.stateaccel.benchmarks.WideJoinResult.FilesThen;
import io.stateaccel.benchmarks.WideJoinResult.Phase;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RunnableFuture;
import java.util.zip.CRC32;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.table.data.RowData;

/**
 * The join of one {@link WideJoinVariant}, from empty state to the end. Used by one thread, the
 * task's.
 */
final class WideJoinRun implements AutoCloseable {

    private static final int ROWS_PER_WATERMARK = 1_000;

    /** Checkpoints while rows of the state's size arrive. */
    private static final int CHECKPOINTS_PER_STATE = 16;

    /** Enough for the last digit of a 99.9th percentile; so many at most at a time. */
    private static final int PROBES = 20_000;

    private static final int MOST_PROBES_PER_WATERMARK = 20;
    private static final long NANOS_BETWEEN_SAMPLES = 5_000_000_000L;
    private static final Path IO = Path.of("/proc/self/io");

    private final WideJoinVariant variant;
    private final long interval;
    private final long rowsWhileFull;
    private final WideJoinStream stream;
    private final FedOperator operator;
    private final AbstractKeyedStateBackend<RowData> backend;
    private final WideJoinDatabase database;
    private final WideJoinProbe probe;
    private final List<FilesThen> files = new ArrayList<>();
    private final long startNanos = System.nanoTime();

    private long checkpointId;
    private long lastSampleNanos;
    private long taskNanos;
    private long probedNanos;

    /**
     * @param interval milliseconds, and so rows, that a join reaches back and ahead
     * @param turnovers how often as many rows arrive again when the state is full
     */
    WideJoinRun(WideJoinVariant variant, long interval, int turnovers, MemorySize memory)
            throws Exception {
        this.variant = variant;
        this.interval = interval;
        this.rowsWhileFull = interval * turnovers;
        this.stream = new WideJoinStream(interval);
        LongColumn key = new LongColumn(IntervalStream.KEY);
        Map<String, String> options = new HashMap<>(variant.options);
        options.put(CheckpointingOptions.INCREMENTAL_CHECKPOINTS.key(), "true");
        operator =
                new FedOperator(
                        variant.join.operator(interval),
                        key,
                        key,
                        variant.backend,
                        memory,
                        options,
                        WideJoinRun::digest);
        backend = operator.backend();
        database = new WideJoinDatabase(backend);
        probe = WideJoinProbe.of(variant.join, backend, stream, interval);
    }

    WideJoinResult run() throws Exception {
        sampleFiles();
        Phase filling = feed(interval, 0);
        long watermarks = Math.max(1, rowsWhileFull / ROWS_PER_WATERMARK);
        Phase full =
                feed(
                        rowsWhileFull,
                        (int) Math.min(MOST_PROBES_PER_WATERMARK, 1 + PROBES / watermarks));
        sampleFiles();
        return new WideJoinResult(
                variant,
                operator.emitted(),
                operator.digest(),
                filling,
                full,
                files,
                probe.nanos());
    }

    /** Feeds rows; ends when RocksDB has done the work that they make. */
    private Phase feed(long rows, int probesPerWatermark) throws Exception {
        Work workBefore = database.work();
        double flushBefore = ThreadCpu.secondsOf("rocksdb:high");
        double compactionBefore = ThreadCpu.secondsOf("rocksdb:low");
        long bytesBefore = stream.bytes();
        long deviceBefore = deviceReadBytes();
        long processBefore = processCpuNanos();
        long threadBefore = threadCpuNanos();
        long start = System.nanoTime();
        taskNanos = 0;
        probedNanos = 0;

        long rowsPerCheckpoint = Math.max(1, interval / CHECKPOINTS_PER_STATE);
        long nextCheckpoint = rowsPerCheckpoint;
        List<RowData> batch = new ArrayList<>(ROWS_PER_WATERMARK);
        for (long fed = 0; fed < rows; fed += batch.size()) {
            generate(batch, (int) Math.min(ROWS_PER_WATERMARK, rows - fed));
            long cpu = threadCpuNanos();
            feed(batch);
            if (fed + batch.size() >= nextCheckpoint) {
                checkpoint();
                nextCheckpoint += rowsPerCheckpoint;
            }
            taskNanos += threadCpuNanos() - cpu;
            probe(probesPerWatermark);
            if (System.nanoTime() - lastSampleNanos >= NANOS_BETWEEN_SAMPLES) {
                sampleFiles();
            }
        }
        double seconds = (System.nanoTime() - start - probedNanos) / 1e9;
        database.awaitIdle();

        double flush = ThreadCpu.secondsOf("rocksdb:high") - flushBefore;
        double compaction = ThreadCpu.secondsOf("rocksdb:low") - compactionBefore;
        double others =
                (processCpuNanos() - processBefore - (threadCpuNanos() - threadBefore)) / 1e9
                        - flush
                        - compaction;
        return new Phase(
                rows,
                stream.bytes() - bytesBefore,
                seconds,
                taskNanos / 1e9,
                flush,
                compaction,
                Math.max(0, others),
                database.work().since(workBefore),
                database.files(),
                deviceReadBytes() - deviceBefore);
    }

    private void generate(List<RowData> batch, int rows) {
        batch.clear();
        for (int i = 0; i < rows; i++) {
            batch.add(stream.next());
        }
    }

    /** The watermark ends the bundle of an operator that has one. */
    private void feed(List<RowData> batch) throws Exception {
        for (RowData row : batch) {
            if (WideJoinStream.isLeft(row.getLong(IntervalStream.TIME))) {
                operator.left(row);
            } else {
                operator.right(row);
            }
        }
        operator.watermark(stream.time() - 1);
    }

    /**
     * The part of an incremental checkpoint that the task thread does, which flushes the memtables,
     * and in which states decide on separation. It is aborted then: nothing is uploaded.
     */
    private void checkpoint() throws Exception {
        checkpointId++;
        RunnableFuture<?> upload =
                backend.snapshot(
                        checkpointId,
                        checkpointId,
                        new MemCheckpointStreamFactory(0),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
        upload.cancel(true);
        backend.notifyCheckpointAborted(checkpointId);
    }

    private void probe(int times) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < times; i++) {
            probe.probe();
        }
        probedNanos += System.nanoTime() - start;
    }

    private void sampleFiles() throws Exception {
        lastSampleNanos = System.nanoTime();
        Files now = database.files();
        files.add(new FilesThen((lastSampleNanos - startNanos) / 1e9, stream.time(), now));
    }

    /** Of both rows in full. */
    private static long digest(RowData joined) {
        CRC32 crc = new CRC32();
        long digest = 0;
        for (int side = 0; side < 2; side++) {
            int first = side * IntervalStream.ROW.toRowSize();
            crc.update(joined.getBinary(first + 2));
            digest = 31 * digest + joined.getLong(first + IntervalStream.KEY);
            digest = 31 * digest + joined.getLong(first + IntervalStream.TIME);
        }
        return (digest ^ crc.getValue()) * 0x9E3779B97F4A7C15L;
    }

    private static long threadCpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long processCpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long deviceReadBytes() throws IOException {
        return java.nio.file.Files.readAllLines(IO).stream()
                .filter(line -> line.startsWith("read_bytes: "))
                .mapToLong(line -> Long.parseLong(line.split(" ")[1]))
                .sum();
    }

    @Override
    public void close() throws Exception {
        operator.close();
    }
}
