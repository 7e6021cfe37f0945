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
package io.stateaccel.operators.join;

import io.stateaccel.operators.bundle.BundleTrigger;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.MergedRecordViews;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.JoinCondition;

/**
 * Inner regular join that works on bundles. Rows are buffered by join key; a flush visits every key
 * once, reads the other side's rows once where this side has changes, joins in memory and appends
 * the changes blind.
 *
 * <p>Takes the place of Flink's {@code StreamingJoinOperator}: the rows that are live after the
 * same input are the same, what came and went within a bundle is not emitted.
 *
 * <p>Runs in the task thread, on any keyed state backend. A bundle is flushed when it is full, when
 * its oldest row has waited long enough, before the combined watermark advances, before a
 * checkpoint barrier and at the end of input; so no row is ever in flight in a snapshot.
 */
public class MiniBatchJoinOperator extends AbstractStreamOperator<RowData>
        implements TwoInputStreamOperator<RowData, RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private static final List<RowData> NO_ROWS = Collections.emptyList();

    private final MiniBatchJoinSpec spec;

    private transient JoinSideInput left;
    private transient JoinSideInput right;
    private transient JoinCondition condition;
    private transient MergedRecordView leftRecords;
    private transient MergedRecordView rightRecords;

    private transient Map<RowData, KeyRows> bundle;
    private transient BundleTrigger trigger;
    private transient JoinedRowData joined;
    private transient TimestampedCollector<RowData> collector;

    /**
     * @param spec what to join and how
     */
    public MiniBatchJoinOperator(MiniBatchJoinSpec spec) {
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        boolean copyRows = getExecutionConfig().isObjectReuseEnabled();
        left = new JoinSideInput(spec.left(), spec.filterNullKeys(), copyRows);
        right = new JoinSideInput(spec.right(), spec.filterNullKeys(), copyRows);
        leftRecords = recordsOf(spec.left(), "left-records");
        rightRecords = recordsOf(spec.right(), "right-records");

        condition = spec.condition().newInstance(getRuntimeContext().getUserCodeClassLoader());
        condition.setRuntimeContext(getRuntimeContext());
        condition.open(DefaultOpenContext.INSTANCE);

        bundle = new HashMap<>();
        trigger = new BundleTrigger(spec.bundle(), getProcessingTimeService(), this::finishBundle);
        joined = new JoinedRowData();
        collector = new TimestampedCollector<>(output);
        getMetricGroup().gauge("bundleSize", trigger::rows);
    }

    private MergedRecordView recordsOf(JoinSideSpec side, String stateName) {
        return MergedRecordViews.create(
                getRuntimeContext(), stateName, side.type(), side.uniqueKeys(), side.changelog());
    }

    /** The key context is set once per key and bundle, not per row. */
    @Override
    public boolean hasKeyContext1() {
        return false;
    }

    /** The key context is set once per key and bundle, not per row. */
    @Override
    public boolean hasKeyContext2() {
        return false;
    }

    @Override
    public void processElement1(StreamRecord<RowData> element) throws Exception {
        RowData key = left.keyOf(element.getValue());
        if (left.matchesNothing(key)) {
            return;
        }
        rowsOf(key).left.add(left.toBuffer(element.getValue()));
        trigger.rowAdded();
    }

    @Override
    public void processElement2(StreamRecord<RowData> element) throws Exception {
        RowData key = right.keyOf(element.getValue());
        if (right.matchesNothing(key)) {
            return;
        }
        rowsOf(key).right.add(right.toBuffer(element.getValue()));
        trigger.rowAdded();
    }

    private KeyRows rowsOf(RowData key) {
        KeyRows rows = bundle.get(key);
        if (rows == null) {
            rows = new KeyRows();
            bundle.put(key, rows);
        }
        return rows;
    }

    private void finishBundle() throws Exception {
        for (Map.Entry<RowData, KeyRows> entry : bundle.entrySet()) {
            setCurrentKey(entry.getKey());
            joinKey(
                    entry.getKey(),
                    left.fold(entry.getValue().left),
                    right.fold(entry.getValue().right));
        }
        bundle.clear();
    }

    /**
     * Emits the pairs that are gone, then the pairs that are new, each once: a pair that exists
     * neither before nor after the bundle is never seen.
     */
    private void joinKey(RowData key, SideChanges leftChanges, SideChanges rightChanges)
            throws Exception {
        List<RowData> rightRows = leftChanges.isEmpty() ? NO_ROWS : rightRecords.records();
        List<RowData> leftRows = rightChanges.isEmpty() ? NO_ROWS : leftRecords.records();

        emitLeft(leftChanges.retractions(), rightRows);
        leftRows = leftRecords.after(leftRows, leftChanges.retractions());
        emitRight(leftRows, rightChanges.retractions());
        rightRows = rightRecords.after(rightRows, rightChanges.retractions());
        emitLeft(leftChanges.additions(), rightRows);
        leftRows = leftRecords.after(leftRows, leftChanges.additions());
        emitRight(leftRows, rightChanges.additions());

        if (!leftChanges.isEmpty()) {
            leftRecords.apply(key, leftChanges.inOrder());
        }
        if (!rightChanges.isEmpty()) {
            rightRecords.apply(key, rightChanges.inOrder());
        }
    }

    private void emitLeft(List<RowData> changes, List<RowData> rightRows) {
        for (int i = 0; i < changes.size() && !rightRows.isEmpty(); i++) {
            RowData change = changes.get(i);
            joined.setRowKind(change.getRowKind());
            for (int j = 0; j < rightRows.size(); j++) {
                emitIfMatching(change, rightRows.get(j));
            }
        }
    }

    private void emitRight(List<RowData> leftRows, List<RowData> changes) {
        for (int i = 0; i < changes.size() && !leftRows.isEmpty(); i++) {
            RowData change = changes.get(i);
            joined.setRowKind(change.getRowKind());
            for (int j = 0; j < leftRows.size(); j++) {
                emitIfMatching(leftRows.get(j), change);
            }
        }
    }

    private void emitIfMatching(RowData leftRow, RowData rightRow) {
        if (condition.apply(leftRow, rightRow)) {
            collector.collect(joined.replace(leftRow, rightRow));
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        trigger.flush();
        super.processWatermark(mark);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        trigger.flush();
    }

    @Override
    public void finish() throws Exception {
        trigger.flush();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        if (trigger != null) {
            trigger.close();
        }
        if (condition != null) {
            condition.close();
        }
        super.close();
    }

    /** The buffered rows of one join key, per side in the order in which they came. */
    private static final class KeyRows {
        final List<RowData> left = new ArrayList<>(2);
        final List<RowData> right = new ArrayList<>(2);
    }
}
