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
package io.stateaccel.operators.join.temporal;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.join.temporal.RowsToJoin;
import io.stateaccel.views.join.temporal.Versions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.util.Collector;

/**
 * Row-time temporal join, INNER or LEFT, that works on bundles. A flush appends the rows of each
 * key blind; a watermark has the keys that wait for it visited, whose rows and versions are read
 * for many keys at a time, joined in memory and written once. Takes the place of Flink's {@code
 * TemporalRowTimeJoinOperator}, which keeps each row as an entry of a map with a number of its own.
 *
 * <p>Gives the rows of Flink's operator, those of a key in the same order, late ones included: a
 * bundle ends before a watermark, so that each key is visited at the same watermarks and holds the
 * same then.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchTemporalJoinOperator extends BundlingOperator
        implements TwoInputStreamOperator<RowData, RowData, RowData>,
                Triggerable<RowData, VoidNamespace> {

    private static final long serialVersionUID = 1L;

    /** That of the stock operator, as are the names of the states. */
    private static final String TIMERS = "timers";

    private final MiniBatchTemporalJoinSpec spec;

    private transient Side left;
    private transient Side right;
    private transient RowsToJoin rowsToJoin;
    private transient Versions versions;
    private transient InternalTimerService<VoidNamespace> timers;
    private transient KeyTimer keyTimer;
    private transient KeyRetention retention;
    private transient JoinCondition condition;
    private transient Collector<RowData> collector;
    private transient JoinedRowData joined;
    private transient RowData noVersion;

    private transient Map<RowData, KeyRows> bundle;

    /** Keys whose timer has fired and which have not been visited yet. */
    private transient Set<RowData> dueKeys;

    /**
     * @param spec what to join and how
     */
    public MiniBatchTemporalJoinOperator(MiniBatchTemporalJoinSpec spec) {
        super(
                OperatorKind.TEMPORAL_JOIN,
                spec.bundle().endingAtWatermarks(true),
                spec.left().keySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        boolean copyRows = getExecutionConfig().isObjectReuseEnabled();
        left = new Side(spec.left(), copyRows);
        right = new Side(spec.right(), copyRows);
        timers = getInternalTimerService(TIMERS, VoidNamespaceSerializer.INSTANCE, this);
        ViewContext context = viewContext(false);
        rowsToJoin = RowsToJoin.open(context, "left", spec.left().type(), spec.left().timeColumn());
        versions = Versions.open(context, "right", spec.right().type(), spec.right().timeColumn());
        keyTimer = new KeyTimer(context, timers);
        retention =
                new KeyRetention(
                        context, spec.minRetentionMillis(), spec.maxRetentionMillis(), timers);

        condition = spec.condition().newInstance(getRuntimeContext().getUserCodeClassLoader());
        condition.setRuntimeContext(getRuntimeContext());
        condition.open(DefaultOpenContext.INSTANCE);
        collector = collector();
        joined = new JoinedRowData();
        noVersion = new GenericRowData(spec.right().type().toRowSize());

        bundle = new LinkedHashMap<>();
        dueKeys = new LinkedHashSet<>();
    }

    @Override
    public void processElement1(StreamRecord<RowData> element) throws Exception {
        add(left, element.getValue());
    }

    @Override
    public void processElement2(StreamRecord<RowData> element) throws Exception {
        add(right, element.getValue());
    }

    private void add(Side side, RowData received) throws Exception {
        RowData key = side.keySelector.getKey(received);
        long bytes = 0;
        KeyRows rows = bundle.get(key);
        if (rows == null) {
            rows = new KeyRows();
            bundle.put(key, rows);
            bytes = HeapBytes.ofKey(key);
        }
        BinaryRowData row = side.keeper.keep(received);
        (side == left ? rows.left : rows.right).add(row);
        rows.addTime(row.getLong(side.timeColumn));
        rowAdded(key, bytes + HeapBytes.ofRow(row));
    }

    @Override
    protected void finishBundle() throws Exception {
        List<RowData> keys = new ArrayList<>(bundle.keySet());
        for (int from = 0; from < keys.size(); from += ReadsAhead.KEYS) {
            List<RowData> some = keys.subList(from, Math.min(keys.size(), from + ReadsAhead.KEYS));
            keyTimer.load(some);
            retention.load(some);
            for (RowData key : some) {
                setCurrentKey(key);
                store(key, bundle.get(key));
            }
        }
        bundle.clear();
    }

    private void store(RowData key, KeyRows rows) throws Exception {
        visited(1, rows.left.size() + rows.right.size());
        if (!rows.left.isEmpty()) {
            rowsToJoin.append(key, rows.left);
        }
        if (!rows.right.isEmpty()) {
            versions.append(key, rows.right);
        }
        keyTimer.moveUpTo(rows.firstTimes);
        retention.renew();
    }

    /** Timers only say which keys are due; these are visited before the watermark goes on. */
    @Override
    public void processWatermark(Watermark mark) throws Exception {
        beforeWatermark();
        getTimeServiceManager().orElseThrow().advanceWatermark(mark);
        visitDueKeys();
        // Finds neither a bundle nor timers.
        super.processWatermark(mark);
    }

    @Override
    public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
        dueKeys.add(timer.getKey());
        if (dueKeys.size() >= ReadsAhead.KEYS) {
            visitDueKeys();
        }
    }

    private void visitDueKeys() throws Exception {
        if (dueKeys.isEmpty()) {
            return;
        }
        List<RowData> keys = List.copyOf(dueKeys);
        dueKeys.clear();
        rowsToJoin.load(keys);
        versions.load(keys);
        retention.load(keys);
        for (RowData key : keys) {
            setCurrentKey(key);
            join(timers.currentWatermark());
        }
    }

    private void join(long watermark) throws Exception {
        NavigableMap<Long, RowData> versionsOfKey = versions.readAndDropOld(watermark);
        long next = rowsToJoin.take(watermark, row -> emit(row, versionsOfKey));
        if (next < Long.MAX_VALUE) {
            keyTimer.set(next);
        } else {
            keyTimer.clear();
        }
        if (next < Long.MAX_VALUE || !versionsOfKey.isEmpty()) {
            retention.renew();
        } else {
            retention.forget();
        }
    }

    private void emit(RowData row, NavigableMap<Long, RowData> versionsOfKey) {
        Map.Entry<Long, RowData> last =
                versionsOfKey.floorEntry(row.getLong(spec.left().timeColumn()));
        // One that is taken back says that there is none from its time on.
        boolean isVersion = last != null && RowDataUtil.isAccumulateMsg(last.getValue());
        if (isVersion && condition.apply(row, last.getValue())) {
            emit(row, last.getValue());
        } else if (spec.isLeftOuter()) {
            emit(row, noVersion);
        }
    }

    private void emit(RowData row, RowData version) {
        joined.setRowKind(row.getRowKind());
        collector.collect(joined.replace(row, version));
    }

    /** Drops the state of a key to which nothing has happened for long enough. */
    @Override
    public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
        if (retention.isOver(timer.getTimestamp())) {
            rowsToJoin.clear();
            versions.clear();
            keyTimer.clear();
        }
    }

    @Override
    public void close() throws Exception {
        if (condition != null) {
            condition.close();
        }
        super.close();
    }

    /** What there is to do with the rows of an input before they are stored. */
    private static final class Side {
        final RowDataKeySelector keySelector;
        final RowKeeper keeper;
        final int timeColumn;

        Side(TemporalJoinSideSpec spec, boolean copyRows) {
            this.keySelector = KeySelectors.copy(spec.keySelector());
            this.keeper = new RowKeeper(spec.type(), copyRows);
            this.timeColumn = spec.timeColumn();
        }
    }

    /** The buffered rows of one join key. */
    private static final class KeyRows {
        final List<RowData> left = new ArrayList<>(2);
        final List<RowData> right = new ArrayList<>(2);

        /** Of the rows that were earlier than all before them, so most often of the first alone. */
        final List<Long> firstTimes = new ArrayList<>(1);

        void addTime(long time) {
            if (firstTimes.isEmpty() || time < firstTimes.get(firstTimes.size() - 1)) {
                firstTimes.add(time);
            }
        }
    }
}
