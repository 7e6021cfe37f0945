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
package io.stateaccel.tests.differential;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Counts how often each row is in a result, and hands the counts to the test when the input ends.
 * The counts are part of checkpoints, so a restore takes them back exactly as it takes the rest of
 * the job back.
 *
 * <p>Where all changes come in full and there is an upsert key, it reads them as upserts too, as
 * writers of tables do: it ignores each {@code -U}. A sink of upserts does not, because what a
 * filter takes out of a result comes to it as a {@code -U}.
 *
 * <p>{@code TableResult.collect()} would do as well, but a client that polls ten times a second
 * costs a third of the time of a case.
 */
final class MaterializeOperator extends AbstractStreamOperator<Row>
        implements OneInputStreamOperator<Row, Row>, BoundedOneInput {

    private static final long serialVersionUID = 1L;

    /** Works because the mini cluster lives in the test's own JVM. */
    private static final Map<String, Result> RESULTS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private final ArrayList<String> upsertKey;
    private final boolean full;

    private transient Map<String, Integer> counts;
    private transient Map<String, String> rowsByUpsertKey;
    private transient ListState<Tuple2<String, Integer>> checkpointedCounts;
    private transient ListState<Tuple2<String, String>> checkpointedRows;

    /**
     * What has come.
     *
     * @param counts how often each row is there
     * @param upserted the rows as a reader of upserts has them; null where there is no upsert key
     */
    record Result(Map<String, Integer> counts, @Nullable Collection<String> upserted) {}

    /**
     * @param upsertKey columns by which a change replaces the row before it; may be none
     * @param full whether all changes come in full, so that rows can be counted without a key
     */
    MaterializeOperator(List<String> upsertKey, boolean full) {
        this.upsertKey = new ArrayList<>(upsertKey);
        this.full = full;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        checkpointedCounts =
                context.getOperatorStateStore()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "counts", Types.TUPLE(Types.STRING, Types.INT)));
        checkpointedRows =
                context.getOperatorStateStore()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "rows", Types.TUPLE(Types.STRING, Types.STRING)));
        counts = new TreeMap<>();
        for (Tuple2<String, Integer> count : checkpointedCounts.get()) {
            counts.put(count.f0, count.f1);
        }
        rowsByUpsertKey = new TreeMap<>();
        for (Tuple2<String, String> row : checkpointedRows.get()) {
            rowsByUpsertKey.put(row.f0, row.f1);
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        checkpointedCounts.clear();
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
            checkpointedCounts.add(Tuple2.of(count.getKey(), count.getValue()));
        }
        checkpointedRows.clear();
        for (Map.Entry<String, String> row : rowsByUpsertKey.entrySet()) {
            checkpointedRows.add(Tuple2.of(row.getKey(), row.getValue()));
        }
    }

    @Override
    public void processElement(StreamRecord<Row> element) {
        Row change = element.getValue();
        boolean adds = adds(change);
        Row row = Row.copy(change);
        row.setKind(RowKind.INSERT);
        if (full) {
            counts.merge(row.toString(), adds ? 1 : -1, MaterializeOperator::sumOrNothing);
        }
        if (upsertKey.isEmpty() || full && change.getKind() == RowKind.UPDATE_BEFORE) {
            return;
        }
        String key = Row.project(row, upsertKey.toArray(new String[0])).toString();
        if (adds) {
            rowsByUpsertKey.put(key, row.toString());
        } else {
            rowsByUpsertKey.remove(key);
        }
    }

    static boolean adds(Row change) {
        return change.getKind() == RowKind.INSERT || change.getKind() == RowKind.UPDATE_AFTER;
    }

    private static Integer sumOrNothing(int before, int added) {
        return before + added == 0 ? null : before + added;
    }

    @Override
    public void endInput() {
        if (!full) {
            rowsByUpsertKey.values().forEach(row -> counts.merge(row, 1, Integer::sum));
        }
        RESULTS.put(
                id,
                new Result(
                        new TreeMap<>(counts),
                        upsertKey.isEmpty() ? null : List.copyOf(rowsByUpsertKey.values())));
    }

    /** What has come; to be called once, after the job has finished. */
    Result takeResult() {
        Result result = RESULTS.remove(id);
        if (result == null) {
            throw new IllegalStateException("The job has finished without a result");
        }
        return result;
    }
}
