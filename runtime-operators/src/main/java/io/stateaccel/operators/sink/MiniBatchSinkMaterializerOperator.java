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
package io.stateaccel.operators.sink;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.list.OrderedList;
import io.stateaccel.views.list.OrderedRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Makes upserts by a sink's primary key of changes whose own key is another one, on bundles: of all
 * rows of a primary key, the last one is in the sink. The changes of a key go through the list of
 * its rows at the flush, and the last of what Flink would have emitted goes on.
 *
 * <p>Takes the place of Flink's {@code SinkUpsertMaterializer} and {@code
 * SinkUpsertMaterializerV2}, whose results it gives: in bundles of one row change by change.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchSinkMaterializerOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final MiniBatchSinkMaterializerSpec spec;

    private transient RowDataKeySelector primaryKey;
    private transient RowKeeper keeper;
    private transient OrderedRows rows;
    private transient Collector<RowData> collector;

    private transient Map<RowData, List<BinaryRowData>> bundle;

    /**
     * @param spec what to make of the changes
     */
    public MiniBatchSinkMaterializerOperator(MiniBatchSinkMaterializerSpec spec) {
        super(OperatorKind.SINK_MATERIALIZER, spec.bundle(), spec.primaryKey().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        primaryKey = KeySelectors.copy(spec.primaryKey());
        keeper = new RowKeeper(spec.rowType(), getExecutionConfig().isObjectReuseEnabled());
        rows =
                OrderedRows.open(
                        viewContext(false),
                        // That of the strategy with which the job was started.
                        layouts().nameOf(StateLayout.ORDERED_LIST).orElse(spec.stateName()),
                        spec.rowType(),
                        spec.upsertKey() == null ? null : KeySelectors.copy(spec.upsertKey()),
                        lifetime(spec.ttl()));
        collector = collector();
        bundle = new LinkedHashMap<>();
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        BinaryRowData change = keeper.keep(element.getValue());
        RowData key = primaryKey.getKey(change);
        long bytes = HeapBytes.ofRow(change);
        List<BinaryRowData> changes = bundle.get(key);
        if (changes == null) {
            changes = new ArrayList<>(2);
            bundle.put(key, changes);
            bytes += HeapBytes.ofKey(key);
        }
        changes.add(change);
        rowAdded(key, bytes);
    }

    @Override
    protected void finishBundle() throws Exception {
        visitKeys(bundle, rows, this::finish);
        bundle.clear();
    }

    private void finish(List<BinaryRowData> changes, Loaded<OrderedList> loaded) throws Exception {
        OrderedList list = loaded.value();
        boolean wasEmpty = list.isEmpty();
        RowData shown = null;
        for (BinaryRowData change : changes) {
            boolean adds = RowDataUtil.isAccumulateMsg(change);
            change.setRowKind(RowKind.INSERT);
            if (adds) {
                list.add(change);
                shown = change;
            } else if (list.remove(change) == OrderedList.Removal.LAST) {
                shown = list.isEmpty() ? change : list.last();
            }
        }
        if (shown != null) {
            emit(shown, wasEmpty, list.isEmpty());
        }
        rows.store(list);
    }

    private void emit(RowData shown, boolean wasEmpty, boolean isEmpty) {
        if (!isEmpty) {
            emit(wasEmpty ? RowKind.INSERT : RowKind.UPDATE_AFTER, shown);
        } else if (!wasEmpty) {
            emit(RowKind.DELETE, shown);
        } else if (!spec.ttl().isForever()) {
            // Of what has expired here there may be a row in the sink; where there is none, a sink
            // may refuse to delete what it was never given.
            emit(RowKind.INSERT, shown);
            emit(RowKind.DELETE, shown);
        }
    }

    private void emit(RowKind kind, RowData row) {
        row.setRowKind(kind);
        collector.collect(row);
        // The list has this very row.
        row.setRowKind(RowKind.INSERT);
    }
}
