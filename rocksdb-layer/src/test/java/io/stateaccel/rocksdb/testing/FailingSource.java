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
package io.stateaccel.rocksdb.testing;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * The same events in each run. Fails a number of times, each time some events after a checkpoint
 * that has completed since the last failure.
 */
@SuppressWarnings("deprecation")
public final class FailingSource
        implements SourceFunction<Tuple2<Integer, Long>>, CheckpointedFunction, CheckpointListener {

    private static final long serialVersionUID = 1L;

    private static final int EVENTS = 24_000;
    private static final int KEYS = 200;

    /** Survives the source's restarts, in the one JVM of the mini cluster. */
    private static final Map<String, AtomicInteger> FAILURES = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private final int failures;

    private volatile boolean running = true;
    private volatile boolean checkpointed;
    private volatile int position;
    private volatile int awaited = -1;
    private volatile long awaitedCheckpoint = Long.MAX_VALUE;
    private transient ListState<Integer> stored;

    public FailingSource(int failures) {
        this.failures = failures;
    }

    /** How often the job has failed; to be called once. */
    public int takeFailures() {
        AtomicInteger failed = FAILURES.remove(id);
        return failed == null ? 0 : failed.get();
    }

    @Override
    public void run(SourceContext<Tuple2<Integer, Long>> context) throws Exception {
        AtomicInteger failed = FAILURES.computeIfAbsent(id, ignored -> new AtomicInteger());
        int part = EVENTS / (failures + 1);
        awaited = failed.get() < failures ? part * (failed.get() + 1) : -1;
        int failAt = awaited + part / 2;
        while (running && position < EVENTS) {
            if (position == awaited) {
                while (running && !checkpointed) {
                    Thread.sleep(1);
                }
            }
            if (awaited >= 0 && position == failAt) {
                failed.incrementAndGet();
                throw new IllegalStateException("Failure provoked by the test");
            }
            synchronized (context.getCheckpointLock()) {
                emit(context);
                position++;
            }
        }
    }

    private void emit(SourceContext<Tuple2<Integer, Long>> context) {
        long mixed = (position + 1) * 0x9E3779B97F4A7C15L;
        mixed ^= mixed >>> 29;
        int key = Math.floorMod(mixed, (mixed & 0x300) == 0 ? 10 : KEYS);
        long timestamp = position - Math.floorMod(mixed >> 8, 20);
        context.collectWithTimestamp(Tuple2.of(key, (long) position), timestamp);
        if (position % 20 == 19) {
            context.emitWatermark(new Watermark(position - 20));
        }
    }

    @Override
    public void cancel() {
        running = false;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        stored =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("position", Types.INT));
        for (int restored : stored.get()) {
            position = restored;
        }
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        stored.clear();
        stored.add(position);
        if (position == awaited && awaitedCheckpoint == Long.MAX_VALUE) {
            awaitedCheckpoint = context.getCheckpointId();
        }
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        if (checkpointId >= awaitedCheckpoint) {
            checkpointed = true;
        }
    }
}
