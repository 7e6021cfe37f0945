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
package io.stateaccel.views.join.log;

import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.time.IncrementalCleanup;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.SaturatedMath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
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

    /** Of a marker of which it is not known until when it is one. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final ReadsAhead<RowData> backend;
    private final String stateName;
    private final InternalListState<?, Integer, TtlValue<RowData>> state;
    private final Lifetime lifetime;

    private final IncrementalCleanup<?, Integer, List<TtlValue<RowData>>> cleanup;

    /** Milliseconds after now that what is appended is said to be from. */
    private final long ahead;

    /** What the last read has found, expired or not. */
    private List<TtlValue<RowData>> lastRead = List.of();

    /** The same by row, as soon as anybody asks for the age of one, and rows made of them. */
    @Nullable private Map<RowData, TtlValue<RowData>> lastReadByRow;

    /**
     * @param lenient whether rows may outlive their time by as much as {@link Lifetime} allows, so
     *     that those that were renewed a short while ago need not be renewed again
     */
    ExpiringRowLog(
            KeyedStateBackend<RowData> backend,
            String stateName,
            RowDataSerializer serializer,
            Lifetime lifetime,
            boolean lenient)
            throws Exception {
        ListStateDescriptor<TtlValue<RowData>> descriptor =
                new ListStateDescriptor<>(
                        stateName, new TtlSerializer<>(LongSerializer.INSTANCE, serializer));
        this.backend = ReadsAhead.of(backend);
        this.stateName = stateName;
        this.state =
                backend.createOrUpdateInternalState(
                        IntSerializer.INSTANCE, lifetime.applyTo(descriptor));
        this.lifetime = lifetime;
        this.ahead = lenient ? lifetime.lenienceMillis() : 0;
        this.cleanup = new IncrementalCleanup<>(state, lifetime::unexpired, lifetime);
    }

    private long timeOfAppend() {
        return SaturatedMath.add(lifetime.now(), ahead);
    }

    @Override
    public List<RowData> read(int chunk) throws Exception {
        cleanup.stateAccessed();
        state.setCurrentNamespace(chunk);
        List<TtlValue<RowData>> stored = PlainRowLog.listOf(state.get());
        long now = lifetime.now();
        List<RowData> rows = new ArrayList<>(stored.size());
        lastRead = stored;
        lastReadByRow = null;
        for (TtlValue<RowData> value : stored) {
            if (!lifetime.isExpired(value.getLastAccessTimestamp(), now)) {
                rows.add(value.getUserValue());
            }
        }
        return rows;
    }

    private Map<RowData, TtlValue<RowData>> lastReadByRow() {
        if (lastReadByRow == null) {
            lastReadByRow = new IdentityHashMap<>(lastRead.size());
            for (TtlValue<RowData> value : lastRead) {
                lastReadByRow.put(value.getUserValue(), value);
            }
        }
        return lastReadByRow;
    }

    @Override
    public void readAhead(List<RowData> keys) throws Exception {
        state.setCurrentNamespace(FIRST);
        backend.readAhead(stateName, keys);
    }

    @Override
    public void append(int chunk, List<RowData> changes) throws Exception {
        cleanup.stateAccessed();
        long now = timeOfAppend();
        List<TtlValue<RowData>> values = new ArrayList<>(changes.size());
        for (RowData change : changes) {
            values.add(new TtlValue<>(change, now));
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
        lastReadByRow().put(repeated, new TtlValue<>(repeated, timeOf(youngest)));
        return repeated;
    }

    @Override
    public boolean mayBecomeAsYoung(RowData row, RowData younger) {
        return timeOf(younger) - timeOf(row) <= lifetime.lenienceMillis();
    }

    @Override
    public void renew(RowData row) {
        lastReadByRow().put(row, new TtlValue<>(row, timeOfAppend()));
    }

    /** What was appended ahead covers what follows for a while. */
    @Override
    public boolean isFresh(RowData row) {
        return timeOf(row) >= lifetime.now();
    }

    @Override
    public boolean isOverdue(RowData row) {
        return lifetime.isExpired(timeOf(row) - ahead);
    }

    private long timeOf(RowData row) {
        return lastReadByRow().get(row).getLastAccessTimestamp();
    }

    /** The marker outlives its last row by the lenience, so it is not written with each row. */
    @Override
    public long mark(RowData marker) throws Exception {
        long until = SaturatedMath.add(timeOfAppend(), lifetime.lenienceMillis());
        state.setCurrentNamespace(FIRST);
        state.update(Collections.singletonList(new TtlValue<>(marker, until)));
        return until;
    }

    @Override
    public long markedUntil(RowData marker) {
        long until = timeOf(marker);
        // Version 0.1.0 wrote markers that never expire.
        return until == Long.MAX_VALUE ? UNKNOWN : until;
    }

    @Override
    public boolean isMarked(long markedUntil) {
        return timeOfAppend() <= markedUntil;
    }

    @Override
    public boolean hasExpired(long markedUntil) {
        return markedUntil != UNKNOWN && lifetime.isExpired(markedUntil);
    }

    private List<TtlValue<RowData>> withAges(List<RowData> rows) {
        List<TtlValue<RowData>> values = new ArrayList<>(rows.size());
        for (RowData row : rows) {
            values.add(lastReadByRow().get(row));
        }
        return values;
    }
}
