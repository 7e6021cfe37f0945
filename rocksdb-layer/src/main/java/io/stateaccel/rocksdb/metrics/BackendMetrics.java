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
package io.stateaccel.rocksdb.metrics;

import io.stateaccel.metrics.AcceleratorMetrics;
import io.stateaccel.rocksdb.disk.DiskActivity;
import io.stateaccel.rocksdb.disk.ThreadFileReads;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;

/**
 * What the backend of one sub-task shows in Flink's metrics, beside its cache: {@code
 * state-accel.rocksdb} in the operator's group with {@code state_name} below it for each state, and
 * {@code state-accel.disk} with {@code device} below it.
 *
 * <p>RocksDB's own figures are read when a reporter asks, under the guard that the backend closes
 * before it closes the database. Created and told of states by the task thread.
 */
public final class BackendMetrics implements AutoCloseable {

    private static final String ROCKSDB = "rocksdb";
    private static final String DISK = "disk";
    private static final String STATE_NAME = "state_name";
    private static final String LEVEL = "level";
    private static final String DEVICE = "device";

    private final RocksDB db;
    private final ResourceGuard guard;
    private final int sampleInterval;
    private final MetricGroup group;
    private final MetricGroup disk;
    private final Map<String, ShownState> states = new HashMap<>();

    /**
     * @param operator the operator's group
     * @param db whose figures are shown
     * @param guard closed before {@code db} is
     * @param directory where {@code db} is
     * @param nativeLibrary whether the native library is in use
     * @param sampleInterval see {@link StateAccess}
     */
    public BackendMetrics(
            MetricGroup operator,
            RocksDB db,
            ResourceGuard guard,
            Path directory,
            boolean nativeLibrary,
            int sampleInterval) {
        this.db = db;
        this.guard = guard;
        this.sampleInterval = sampleInterval;
        this.group = AcceleratorMetrics.open(operator, ROCKSDB);
        this.disk = AcceleratorMetrics.open(operator, DISK);
        PolledFigures<DatabaseFigures> figures =
                new PolledFigures<>(guard, () -> DatabaseFigures.of(db), DatabaseFigures.NONE);
        group.gauge("nativeLibrary", (Gauge<Long>) () -> nativeLibrary ? 1L : 0L);
        gauge(group, "runningCompactions", figures, DatabaseFigures::runningCompactions);
        gauge(group, "runningFlushes", figures, DatabaseFigures::runningFlushes);
        gauge(group, "stallMillis", figures, DatabaseFigures::stallMillis);
        gauge(group, "blockCacheBytes", figures, DatabaseFigures::blockCacheBytes);
        gauge(group, "blockCacheCapacityBytes", figures, DatabaseFigures::blockCacheCapacityBytes);
        ThreadFileReads.ofCurrentThread().ifPresent(this::show);
        DiskActivity.of(directory).ifPresent(this::show);
    }

    private void show(ThreadFileReads task) {
        PolledFigures<ThreadFileReads.Counters> counters =
                new PolledFigures<>(guard, task::read, ThreadFileReads.Counters.NONE);
        gauge(group, "fileReads", counters, ThreadFileReads.Counters::reads);
        gauge(group, "deviceReadBytes", counters, ThreadFileReads.Counters::deviceBytes);
    }

    private void show(DiskActivity activity) {
        MetricGroup device = disk.addGroup(DEVICE, activity.device());
        PolledFigures<DiskActivity.Counters> counters =
                new PolledFigures<>(guard, activity::read, DiskActivity.Counters.NONE);
        gauge(device, "reads", counters, DiskActivity.Counters::reads);
        gauge(device, "readMillis", counters, DiskActivity.Counters::readMillis);
        gauge(device, "writes", counters, DiskActivity.Counters::writes);
        gauge(device, "writeMillis", counters, DiskActivity.Counters::writeMillis);
        gauge(device, "busyMillis", counters, DiskActivity.Counters::busyMillis);
        gauge(device, "queueMillis", counters, DiskActivity.Counters::queueMillis);
    }

    /**
     * Shows how a state is kept, from the first call for it on.
     *
     * @param columnFamily that of the state now
     * @param choice the options of {@code columnFamily}
     */
    public void show(String stateName, ColumnFamilyHandle columnFamily, ColumnFamilyChoice choice) {
        ShownState state = states.get(stateName);
        if (state == null) {
            state = new ShownState(group.addGroup(STATE_NAME, stateName), columnFamily);
            state.minBlobBytes = choice.minBlobBytes();
            states.put(stateName, state);
            show(state, choice);
        }
        state.columnFamily = columnFamily;
    }

    /**
     * Shows that the values of a state are kept in other files from now on.
     *
     * @param minBlobBytes see {@link ColumnFamilyChoice}
     */
    public void show(String stateName, long minBlobBytes) {
        states.get(stateName).minBlobBytes = minBlobBytes;
    }

    /**
     * Shows what becomes of a state that is shown, from the first call for it on.
     *
     * @return counts it; the same for each call
     */
    public StateAccess access(String stateName) {
        ShownState state = states.get(stateName);
        if (state.access == null) {
            state.access = new StateAccess(sampleInterval);
            show(state.group, state.access);
        }
        return state.access;
    }

    private static void show(MetricGroup ofState, StateAccess access) {
        ofState.gauge("reads", (Gauge<Long>) access::reads);
        ofState.gauge("absentReads", (Gauge<Long>) access::absentReads);
        ofState.gauge("readsAhead", (Gauge<Long>) access::readsAhead);
        ofState.gauge("scans", (Gauge<Long>) access::scans);
        ofState.gauge("writes", (Gauge<Long>) access::writes);
        ofState.gauge("merges", (Gauge<Long>) access::merges);
        ofState.histogram("readNanos", access.readNanos());
        ofState.histogram("scanNanos", access.scanNanos());
        ofState.histogram("valueBytes", access.valueBytes());
    }

    private void show(ShownState state, ColumnFamilyChoice choice) {
        MetricGroup ofState = state.group;
        ofState.gauge("memtable", (Gauge<String>) choice::memtable);
        ofState.gauge("filter", (Gauge<String>) choice::filter);
        ofState.gauge("prefixFilter", (Gauge<Long>) () -> choice.hasKeyPrefix() ? 1L : 0L);
        ofState.gauge("compression", (Gauge<String>) choice::compression);
        ofState.gauge("blockBytes", (Gauge<Long>) choice::blockBytes);
        ofState.gauge("minBlobBytes", (Gauge<Long>) () -> state.minBlobBytes);

        int levels = choice.levels();
        PolledFigures<ColumnFamilyFigures> figures =
                new PolledFigures<>(
                        guard,
                        () -> ColumnFamilyFigures.of(db, state.columnFamily, levels),
                        ColumnFamilyFigures.none(levels));
        for (int i = 0; i < levels; i++) {
            int level = i;
            gauge(
                    ofState.addGroup(LEVEL, String.valueOf(level)),
                    "files",
                    figures,
                    now -> now.filesPerLevel().get(level));
        }
        gauge(ofState, "sstBytes", figures, ColumnFamilyFigures::sstBytes);
        gauge(ofState, "blobBytes", figures, ColumnFamilyFigures::blobBytes);
        gauge(ofState, "blobGarbageBytes", figures, ColumnFamilyFigures::blobGarbageBytes);
        gauge(ofState, "memtableBytes", figures, ColumnFamilyFigures::memtableBytes);
        gauge(ofState, "keys", figures, ColumnFamilyFigures::keys);
        gauge(
                ofState,
                "pendingCompactionBytes",
                figures,
                ColumnFamilyFigures::pendingCompactionBytes);
        gauge(ofState, "compactionMillis", figures, ColumnFamilyFigures::compactionMillis);
    }

    private static <F> void gauge(
            MetricGroup group, String name, PolledFigures<F> figures, ToLongFunction<F> figure) {
        group.gauge(name, (Gauge<Long>) () -> figure.applyAsLong(figures.get()));
    }

    /** Takes all metrics off the reporters. */
    @Override
    public void close() {
        AcceleratorMetrics.close(group);
        AcceleratorMetrics.close(disk);
    }

    /** A state that is shown. */
    private static final class ShownState {
        final MetricGroup group;

        /** Reporters read it. */
        volatile ColumnFamilyHandle columnFamily;

        /** Reporters read it. */
        volatile long minBlobBytes;

        /** Null as long as nobody counts. */
        @Nullable StateAccess access;

        ShownState(MetricGroup group, ColumnFamilyHandle columnFamily) {
            this.group = group;
            this.columnFamily = columnFamily;
        }
    }
}
