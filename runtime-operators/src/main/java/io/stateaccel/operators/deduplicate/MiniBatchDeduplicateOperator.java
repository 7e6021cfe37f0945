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
package io.stateaccel.operators.deduplicate;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.batch.Loaded;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Keeps the first or the last row of each key, on bundles of insertions: a bundle holds one row per
 * key, and a flush meets it with the stored one, if there is need to know that at all.
 *
 * <p>Takes the place of Flink's {@code RowTimeDeduplicateFunction}, {@code
 * ProcTimeDeduplicateKeepFirstRowFunction}, {@code ProcTimeDeduplicateKeepLastRowFunction} and
 * their mini-batch versions, whose results it gives. State name and layout are theirs.
 *
 * <p>With a time to live every row that replaces another is emitted, an equal one too, so that what
 * downstream keeps of it stays alive.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchDeduplicateOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private static final String STATE = "deduplicate-state";

    private final MiniBatchDeduplicateSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient RowKeeper keeper;
    private transient KeyedRow<?> keyedRow;
    private transient Collector<RowData> collector;

    private transient Map<RowData, BinaryRowData> bundle;

    /**
     * @param spec what to keep
     */
    public MiniBatchDeduplicateOperator(MiniBatchDeduplicateSpec spec) {
        super(OperatorKind.DEDUPLICATE, spec.bundle(), spec.keySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        keySelector = KeySelectors.copy(spec.keySelector());
        keeper = new RowKeeper(spec.rowType(), getExecutionConfig().isObjectReuseEnabled());
        keyedRow = keyedRow();
        collector = collector();
        bundle = new LinkedHashMap<>();
    }

    private KeyedRow<?> keyedRow() {
        if (spec.rowTimeColumn() >= 0) {
            return new ByRowTime();
        }
        if (!spec.keepLast()) {
            return new FirstToCome();
        }
        return spec.generateUpdateBefore() || spec.generateInsert()
                ? new LastToCome()
                : new AnyToCome();
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        RowData key = keySelector.getKey(row);
        BinaryRowData previous = bundle.get(key);
        long bytes = 0;
        if (replaces(previous, row)) {
            BinaryRowData kept = keeper.keep(row);
            bundle.put(key, kept);
            bytes =
                    HeapBytes.ofRow(kept)
                            + (previous == null
                                    ? HeapBytes.ofKey(key)
                                    : -HeapBytes.ofRow(previous));
        }
        rowAdded(key, bytes);
    }

    /** Whether a row that comes after another is kept in its stead. */
    private boolean replaces(@Nullable RowData previous, RowData row) {
        if (previous == null) {
            return true;
        }
        int column = spec.rowTimeColumn();
        if (column < 0) {
            return spec.keepLast();
        }
        long previousTime = previous.getLong(column);
        long time = row.getLong(column);
        return spec.keepLast() ? previousTime <= time : time < previousTime;
    }

    @Override
    protected void finishBundle() throws Exception {
        finishKeys(keyedRow);
        bundle.clear();
    }

    private <V> void finishKeys(KeyedRow<V> row) throws Exception {
        visitKeys(bundle, row.state(), row::finish);
    }

    private <V> LoadableValue<V> openState(TypeInformation<V> type) {
        return LoadableValue.open(
                viewContext(true),
                lifetime(spec.ttl()).applyTo(new ValueStateDescriptor<>(STATE, type)));
    }

    private void emitReplacement(@Nullable RowData previous, RowData row) {
        if (previous == null && (spec.generateUpdateBefore() || spec.generateInsert())) {
            collector.collect(row);
            return;
        }
        if (spec.generateUpdateBefore()) {
            emit(RowKind.UPDATE_BEFORE, previous);
        }
        emitUpdate(row);
    }

    private void emitUpdate(RowData row) {
        emit(RowKind.UPDATE_AFTER, row);
    }

    private void emit(RowKind kind, RowData row) {
        row.setRowKind(kind);
        collector.collect(row);
        // The state may hold this very row.
        row.setRowKind(RowKind.INSERT);
    }

    /**
     * What becomes of a bundle's row of the current key.
     *
     * @param <V> what is known of earlier ones
     */
    private interface KeyedRow<V> {

        Loadable<V> state();

        /**
         * @param row that of the bundle
         * @param loaded has what is in {@link #state}
         */
        void finish(RowData row, Loaded<V> loaded) throws Exception;
    }

    /** The row of the smallest or largest row time. */
    private final class ByRowTime implements KeyedRow<RowData> {
        private final LoadableValue<RowData> state = openState(spec.rowType());

        @Override
        public Loadable<RowData> state() {
            return state;
        }

        @Override
        public void finish(RowData row, Loaded<RowData> loaded) throws Exception {
            RowData previous = loaded.value();
            if (replaces(previous, row)) {
                state.update(row);
                emitReplacement(previous, row);
            }
        }
    }

    /** The first row to come. */
    private final class FirstToCome implements KeyedRow<Boolean> {
        private final LoadableValue<Boolean> state = openState(Types.BOOLEAN);

        @Override
        public Loadable<Boolean> state() {
            return state;
        }

        @Override
        public void finish(RowData row, Loaded<Boolean> loaded) throws Exception {
            if (loaded.value() == null) {
                state.update(true);
                collector.collect(row);
            }
        }
    }

    /** The last row to come, where downstream needs more than the row. */
    private final class LastToCome implements KeyedRow<RowData> {
        private final LoadableValue<RowData> state = openState(spec.rowType());
        private final RecordEqualiser equaliser =
                spec.equaliser().newInstance(getRuntimeContext().getUserCodeClassLoader());

        @Override
        public Loadable<RowData> state() {
            return state;
        }

        @Override
        public void finish(RowData row, Loaded<RowData> loaded) throws Exception {
            RowData previous = loaded.value();
            state.update(row);
            if (previous == null || !spec.ttl().isForever() || !equaliser.equals(previous, row)) {
                emitReplacement(previous, row);
            }
        }
    }

    /** The last row to come, where downstream needs nothing else. */
    private final class AnyToCome implements KeyedRow<Void> {

        @Override
        public Loadable<Void> state() {
            return Loadable.nothing();
        }

        @Override
        public void finish(RowData row, Loaded<Void> loaded) {
            emitUpdate(row);
        }
    }
}
