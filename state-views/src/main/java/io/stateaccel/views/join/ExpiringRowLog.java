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
package io.stateaccel.views.join;

import io.stateaccel.views.batch.ReadsAhead;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlUtils;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * A log whose changes expire one by one, a fixed time after they were appended.
 *
 * <p>The layout is that of Flink's {@code TtlListState}, so RocksDB's compaction filter, which
 * Flink configures for it, drops what has expired from the files. The state is used without that
 * wrapper because {@link #replace} must not make rows younger, which its {@code update} does.
 */
final class ExpiringRowLog implements RowLog {

    /** So young that no time to live is ever over. */
    private static final long NEVER = Long.MAX_VALUE;

    private final InternalListState<?, Integer, TtlValue<RowData>> state;
    private final long ttlMillis;
    private final LongSupplier clock;

    /** When the rows of the last read were appended, by identity. */
    private Map<RowData, TtlValue<RowData>> lastRead = Collections.emptyMap();

    /**
     * @param clock milliseconds of processing time
     */
    ExpiringRowLog(
            KeyedStateBackend<?> backend,
            String stateName,
            RowDataSerializer serializer,
            StateTtlConfig ttl,
            LongSupplier clock)
            throws Exception {
        ListStateDescriptor<TtlValue<RowData>> descriptor =
                new ListStateDescriptor<>(
                        stateName, new TtlSerializer<>(LongSerializer.INSTANCE, serializer));
        descriptor.enableTimeToLive(ttl);
        this.state = backend.createOrUpdateInternalState(IntSerializer.INSTANCE, descriptor);
        this.ttlMillis = ttl.getTimeToLive().toMillis();
        this.clock = clock;
    }

    @Override
    public List<RowData> read(int chunk) throws Exception {
        state.setCurrentNamespace(chunk);
        List<TtlValue<RowData>> stored = PlainRowLog.listOf(state.get());
        long now = clock.getAsLong();
        List<RowData> rows = new ArrayList<>(stored.size());
        lastRead = new IdentityHashMap<>();
        for (TtlValue<RowData> value : stored) {
            if (!TtlUtils.expired(value, ttlMillis, now)) {
                rows.add(value.getUserValue());
                lastRead.put(value.getUserValue(), value);
            }
        }
        return rows;
    }

    @Override
    public void readAhead(List<RowData> keys) throws Exception {
        state.setCurrentNamespace(FIRST);
        ReadsAhead.<RowData>of(state).readAhead(keys);
    }

    @Override
    public void append(int chunk, List<RowData> changes) throws Exception {
        long now = clock.getAsLong();
        List<TtlValue<RowData>> values = new ArrayList<>(changes.size());
        for (RowData change : changes) {
            values.add(TtlUtils.wrapWithTs(change, now));
        }
        state.setCurrentNamespace(chunk);
        state.addAll(values);
    }

    @Override
    public void move(int chunk, List<RowData> rows) throws Exception {
        state.setCurrentNamespace(chunk);
        state.addAll(withAges(rows));
    }

    @Override
    public void replace(int chunk, List<RowData> rows) throws Exception {
        state.setCurrentNamespace(chunk);
        if (rows.isEmpty()) {
            state.clear();
        } else {
            state.update(withAges(rows));
        }
    }

    @Override
    public RowData repeated(RowData youngest, long count) {
        RowData repeated = StoredRows.repeated(youngest, count);
        lastRead.put(
                repeated,
                new TtlValue<>(repeated, lastRead.get(youngest).getLastAccessTimestamp()));
        return repeated;
    }

    private List<TtlValue<RowData>> withAges(List<RowData> rows) {
        List<TtlValue<RowData>> values = new ArrayList<>(rows.size());
        for (RowData row : rows) {
            values.add(StoredRows.isMarker(row) ? new TtlValue<>(row, NEVER) : lastRead.get(row));
        }
        return values;
    }
}
