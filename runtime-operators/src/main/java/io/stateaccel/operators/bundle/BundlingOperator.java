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
package io.stateaccel.operators.bundle;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.operator.StreamOperatorSeam;
import io.stateaccel.metrics.AcceleratorMetrics;
import io.stateaccel.operators.bundle.metrics.BundleMetrics;
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.layout.StateLayouts;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.util.Collector;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.clock.SystemClock;

/**
 * An operator that gathers rows in a bundle and flushes it when the task has nothing else to do,
 * when the bundle is full, when it takes as much heap as it may, when its oldest row has waited
 * long enough, before a checkpoint barrier, at the end of input, and before anything goes on that
 * says something of the rows before it: the (combined) watermark, that a stream is idle or active
 * again, a generalized watermark, or attributes of its records. So no row is in flight in a
 * snapshot, and none is overtaken. Two things do overtake rows: watermarks (and idleness, which
 * lets those of others advance) where nothing downstream makes anything of them, and latency
 * markers, as in all operators of Flink that hold rows back. There are too many of both to end a
 * bundle each.
 *
 * <p>The key context is set by the flush, once per key, and not per row. Runs in the task thread.
 */
public abstract class BundlingOperator extends StreamOperatorSeam {

    private static final long serialVersionUID = 1L;

    private final OperatorKind kind;
    private final BundleSettings settings;
    private final InternalTypeInfo<RowData> keyType;

    private transient StateLayouts layouts;
    private transient boolean startsWithoutState;
    private transient WatchedOutput results;
    private transient BundleTrigger trigger;
    private transient BundleMetrics metrics;

    /**
     * @param kind by which snapshots know the operator
     * @param keyType of the keys that rows are gathered by
     */
    protected BundlingOperator(
            OperatorKind kind, BundleSettings settings, InternalTypeInfo<RowData> keyType) {
        this(kind, settings, keyType, 0);
    }

    /**
     * @param kind by which snapshots know the operator
     * @param keyType of the keys that rows are gathered by
     * @param watermarkDelay by how many milliseconds watermarks are held back
     */
    protected BundlingOperator(
            OperatorKind kind,
            BundleSettings settings,
            InternalTypeInfo<RowData> keyType,
            long watermarkDelay) {
        super(watermarkDelay);
        this.kind = kind;
        this.settings = settings;
        this.keyType = keyType;
    }

    /**
     * @throws io.stateaccel.views.layout.StateRefusedException when the job goes on from a snapshot
     *     that does not fit
     */
    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        String name = getRuntimeContext().getTaskInfo().getTaskName();
        layouts = StateLayouts.of(name, kind.id(), context.getOperatorStateStore());
        startsWithoutState = !layouts.areFound() && !hasRestoredKeyedState();
        if (startsWithoutState) {
            startEmpty(name, getContainingTask().getEnvironment().getJobConfiguration());
        }
    }

    /**
     * The context says that it is restored only where Flink has found state for the task; the
     * configuration says whether the job goes on from a snapshot.
     */
    private static void startEmpty(String name, ReadableConfig job) {
        if (job.getOptional(StateRecoveryOptions.SAVEPOINT_PATH).isEmpty()) {
            return;
        }
        if (job.get(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE)
                && !job.get(StateAccelOptions.ALLOW_EMPTY_STATE)) {
            throw StateLayouts.refuseToStartEmpty(name);
        }
        LOG.info("[state-accel] '{}' starts empty: it is not in the snapshot.", name);
    }

    private boolean hasRestoredKeyedState() {
        return getContainingTask()
                .getEnvironment()
                .getTaskStateManager()
                .prioritizedOperatorState(getOperatorID())
                .getPrioritizedManagedKeyedState()
                .stream()
                .anyMatch(StateObjectCollection::hasState);
    }

    /** When bundles end. */
    public final BundleSettings bundleSettings() {
        return settings;
    }

    /** What a time to live comes to by the operator's processing time. */
    protected final Lifetime lifetime(TimeToLive ttl) {
        return ttl.by(getProcessingTimeService()::getCurrentProcessingTime);
    }

    /**
     * Where the operator's views keep their state.
     *
     * @param mayBeStocks whether a stock operator may go on from the states where it can read them
     */
    protected final ViewContext viewContext(boolean mayBeStocks) {
        return new ViewContext(
                getRuntimeContext(),
                getKeyedStateBackend(),
                layouts,
                mayBeStocks,
                startsWithoutState,
                getProcessingTimeService()::getCurrentProcessingTime);
    }

    /** The layouts of the operator's states, through which those are to be opened. */
    protected final StateLayouts layouts() {
        return layouts;
    }

    @Override
    public void open() throws Exception {
        super.open();
        results = new WatchedOutput(output, SystemClock.getInstance());
        trigger =
                new BundleTrigger(
                        settings,
                        getProcessingTimeService(),
                        SystemClock.getInstance(),
                        new StreamTaskActivity(
                                getContainingTask(),
                                config.getChainIndex(),
                                results,
                                getProcessingTimeService()),
                        this::flush);
        metrics =
                new BundleMetrics(
                        acceleratorMetrics(),
                        keyType,
                        AcceleratorMetrics.hottestKeyMode(getContainingTask().getEnvironment()),
                        trigger::rows,
                        trigger::bytes,
                        trigger::size);
    }

    /** Takes what the operator emits, rows that may be used again; once it is open. */
    protected final Collector<RowData> collector() {
        return results;
    }

    /** The group to open groups of {@link AcceleratorMetrics} in. */
    protected final MetricGroup acceleratorMetrics() {
        return AcceleratorMetrics.ofOperator(
                getMetricGroup(),
                AcceleratorMetrics.areEnabled(getContainingTask().getEnvironment()));
    }

    private void flush(FlushReason reason, long rows, long waitedMillis) throws Exception {
        metrics.flush(reason, rows, waitedMillis);
        finishBundle();
    }

    /**
     * To be called after each row that was put into the bundle; may flush.
     *
     * @param key of the row, which must not change any more
     * @param moreBytes of heap that the bundle takes than before, see {@link HeapBytes}; less than
     *     0 where a row took the place of a larger one
     */
    protected final void rowAdded(RowData key, long moreBytes) throws Exception {
        rowAdded(key, moreBytes, false);
    }

    /**
     * As {@link #rowAdded(RowData, long)}.
     *
     * @param halfAnUpdate whether to flush rather after the next row
     */
    protected final void rowAdded(RowData key, long moreBytes, boolean halfAnUpdate)
            throws Exception {
        metrics.rowAdded(key);
        trigger.rowAdded(moreBytes, halfAnUpdate);
    }

    /**
     * To be called while a bundle is finished, as often as is convenient.
     *
     * @param keys whose state was read or written
     * @param changes of that state which are left of the bundle's rows
     */
    protected final void visited(long keys, long changes) {
        metrics.visited(keys, changes);
    }

    /**
     * Goes through the keys of a bundle, whose state is loaded for many of them at a time.
     *
     * @param bundle what there is of each key
     * @param state what a visit of a key reads first
     * @param visitor called with each key as the current one
     */
    protected final <B, V> void visitKeys(
            Map<RowData, B> bundle, Loadable<V> state, KeyVisitor<B, V> visitor) throws Exception {
        visited(bundle.size(), bundle.size());
        List<RowData> keys = new ArrayList<>(bundle.keySet());
        for (int from = 0; from < keys.size(); from += ReadsAhead.KEYS) {
            List<RowData> some = keys.subList(from, Math.min(keys.size(), from + ReadsAhead.KEYS));
            Loaded<V> loaded = state.load(some);
            for (RowData key : some) {
                setCurrentKey(key);
                visitor.visit(bundle.get(key), loaded);
            }
        }
    }

    /**
     * Does what there is to do with a key.
     *
     * @param <B> what a bundle holds of a key
     * @param <V> what the state holds of a key
     */
    @FunctionalInterface
    protected interface KeyVisitor<B, V> {
        void visit(B ofKey, Loaded<V> loaded) throws Exception;
    }

    /** Emits and stores what the bundle amounts to, and empties it. */
    protected abstract void finishBundle() throws Exception;

    @Override
    public final boolean hasKeyContext1() {
        return false;
    }

    @Override
    public final boolean hasKeyContext2() {
        return false;
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        // The last one says that the input is at its end, to whoever makes watermarks of their own.
        if (settings.endsAtWatermarks() || mark.equals(Watermark.MAX_WATERMARK)) {
            trigger.flush(FlushReason.WATERMARK);
        }
        super.processWatermark(mark);
    }

    @Override
    protected final void beforeWatermark() throws Exception {
        trigger.flush(FlushReason.WATERMARK);
    }

    /** Downstream, watermarks of others advance past a stream that is idle. */
    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        beforeStatus();
        super.processWatermarkStatus(status);
    }

    @Override
    protected final void beforeStatus() throws Exception {
        if (settings.endsAtWatermarks()) {
            trigger.flush(FlushReason.STATUS);
        }
    }

    /** No timer, unless an operator says otherwise. */
    @Override
    protected boolean timersMayBeInterrupted() {
        return false;
    }

    @Override
    public void processRecordAttributes(RecordAttributes attributes) throws Exception {
        trigger.flush(FlushReason.STATUS);
        super.processRecordAttributes(attributes);
    }

    @Override
    public void processRecordAttributes1(RecordAttributes attributes) {
        flushBeforeAttributes();
        super.processRecordAttributes1(attributes);
    }

    @Override
    public void processRecordAttributes2(RecordAttributes attributes) {
        flushBeforeAttributes();
        super.processRecordAttributes2(attributes);
    }

    /** Where Flink's signature has no room for a failure. */
    private void flushBeforeAttributes() {
        try {
            trigger.flush(FlushReason.STATUS);
        } catch (Exception e) {
            ExceptionUtils.rethrow(e);
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        trigger.flush(FlushReason.CHECKPOINT);
    }

    @Override
    public void finish() throws Exception {
        trigger.flush(FlushReason.END_OF_INPUT);
        super.finish();
    }

    @Override
    public void close() throws Exception {
        if (trigger != null) {
            trigger.close();
        }
        super.close();
    }
}
