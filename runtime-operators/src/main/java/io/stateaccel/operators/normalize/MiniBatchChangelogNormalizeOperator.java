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
package io.stateaccel.operators.normalize;

import io.stateaccel.flink.operator.CurrentTimes;
import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.flink.operator.RowCondition;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.batch.Loaded;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Makes a changelog of upserts, or one with duplicates, a regular one, on bundles: of the changes
 * of a key only the last one counts, for which the key's row is read once and written at most once.
 *
 * <p>Results and state are those of Flink's {@code ProcTimeDeduplicateKeepLastRowFunction}: either
 * may go on from the state of the other. As there, a change other than {@code +I} and {@code +U}
 * takes away the row of its key whatever it holds beside the key, and a row that does not meet the
 * condition takes away the row of its key.
 *
 * <p>Where state may expire, a row that came and went within a bundle is emitted and taken back, as
 * Flink does: whoever reads by key may still have one whose state has expired here.
 */
public class MiniBatchChangelogNormalizeOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    /** As Flink's function has it. */
    private static final String STATE = "deduplicate-state";

    /** In place of a row, when nothing of it matters but that it has gone. */
    private static final BinaryRowData GONE = new BinaryRowData(0);

    private final MiniBatchChangelogNormalizeSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient RowKeeper keeper;
    private transient RecordEqualiser equaliser;
    @Nullable private transient RowCondition condition;
    private transient long watermark;
    private transient LoadableValue<RowData> state;
    private transient Collector<RowData> collector;

    /** The last change of each key, as {@link RowKind#INSERT} or {@link RowKind#DELETE}. */
    private transient Map<RowData, BinaryRowData> bundle;

    /**
     * @param spec what to make of the changelog
     */
    public MiniBatchChangelogNormalizeOperator(MiniBatchChangelogNormalizeSpec spec) {
        super(
                OperatorKind.CHANGELOG_NORMALIZE,
                spec.bundle(),
                spec.keySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        keySelector = KeySelectors.copy(spec.keySelector());
        keeper = new RowKeeper(spec.rowType(), getExecutionConfig().isObjectReuseEnabled());
        equaliser = spec.equaliser().newInstance(getRuntimeContext().getUserCodeClassLoader());
        watermark = Long.MIN_VALUE;
        condition =
                spec.condition() == null
                        ? null
                        : new RowCondition(spec.condition(), getRuntimeContext(), new Times());
        state =
                LoadableValue.open(
                        viewContext(true),
                        lifetime(spec.ttl())
                                .applyTo(new ValueStateDescriptor<>(STATE, spec.rowType())));
        collector = collector();
        bundle = new LinkedHashMap<>();
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        RowData key = keySelector.getKey(row);
        BinaryRowData previous = bundle.get(key);
        boolean isThere =
                RowDataUtil.isAccumulateMsg(row) && (condition == null || condition.holds(element));
        BinaryRowData change;
        if (isThere) {
            change = keeper.keep(row);
            change.setRowKind(RowKind.INSERT);
        } else {
            change = gone(previous);
        }
        bundle.put(key, change);
        long bytes = HeapBytes.ofRow(change);
        rowAdded(
                key,
                bytes + (previous == null ? HeapBytes.ofKey(key) : -HeapBytes.ofRow(previous)));
    }

    /**
     * What is left of a row that goes.
     *
     * @param previous of the same bundle
     */
    private BinaryRowData gone(@Nullable BinaryRowData previous) {
        if (previous == null || previous == GONE || spec.ttl().isForever()) {
            return GONE;
        }
        previous.setRowKind(RowKind.DELETE);
        return previous;
    }

    @Override
    protected void finishBundle() throws Exception {
        visitKeys(bundle, state, this::finish);
        bundle.clear();
    }

    private void finish(BinaryRowData change, Loaded<RowData> loaded) throws Exception {
        RowData previous = loaded.value();
        if (change == GONE || change.getRowKind() == RowKind.DELETE) {
            remove(previous, change);
        } else if (previous == null) {
            collector.collect(change);
            state.update(change);
        } else if (!spec.ttl().isForever() || !equaliser.equals(previous, change)) {
            if (spec.generateUpdateBefore()) {
                emit(RowKind.UPDATE_BEFORE, previous);
            }
            emit(RowKind.UPDATE_AFTER, change);
            state.update(change);
        }
    }

    private void remove(@Nullable RowData previous, BinaryRowData change) {
        if (previous != null) {
            emit(RowKind.DELETE, previous);
            state.clear();
        } else if (change != GONE) {
            emit(RowKind.INSERT, change);
            emit(RowKind.DELETE, change);
        }
    }

    private void emit(RowKind kind, RowData row) {
        row.setRowKind(kind);
        collector.collect(row);
        // The state may hold this very row.
        row.setRowKind(RowKind.INSERT);
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        watermark = mark.getTimestamp();
        super.processWatermark(mark);
    }

    @Override
    public void close() throws Exception {
        if (condition != null) {
            condition.close();
        }
        super.close();
    }

    private final class Times implements CurrentTimes {
        @Override
        public long processingTime() {
            return getProcessingTimeService().getCurrentProcessingTime();
        }

        @Override
        public long watermark() {
            return watermark;
        }
    }
}
