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
package io.stateaccel.operators.over;

import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.views.batch.LoadableAgedValue;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.SaturatedMath;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * OVER aggregate by processing time, of all rows of a partition so far.
 *
 * <p>Takes the place of Flink's {@code ProcTimeUnboundedPrecedingFunction}, which reads and writes
 * the accumulator for each row, and gives its results. The state is laid out as that has it, so
 * that savepoints go both ways. An accumulator is as old as its last row, and not as when that was
 * worked off; as in Flink, what functions keep one by one does not expire with it.
 */
public final class UnboundedProcessingTimeOverOperator extends ProcessingTimeOverOperator {

    private static final long serialVersionUID = 1L;

    /** By how much a bundle may end later than it should, where the task has much to do. */
    private static final long LATE_MILLIS = 60_000;

    private final ProcessingTimeOverSpec spec;

    private transient AggsHandleFunction function;
    private transient OverFrame.Results results;
    private transient RowDataSerializer serializer;
    private transient LoadableAgedValue<RowData> accumulators;
    private transient Lifetime lifetime;

    /** When the row came that is worked off. */
    private transient long now;

    /** When the first row of the bundle came: no later row asks for what had expired by then. */
    private transient long bundleBegan;

    /**
     * @param spec of frames without a first row
     */
    public UnboundedProcessingTimeOverOperator(ProcessingTimeOverSpec spec) {
        super(OperatorKind.UNBOUNDED_PROCESSING_TIME_OVER, spec);
        this.spec = spec;
    }

    @Override
    void openStates(AggsHandleFunction aggregates, OverFrame.Results output) throws Exception {
        function = aggregates;
        results = output;
        serializer = InternalTypeInfo.ofFields(spec.accumulatorTypes()).toRowSerializer();
        lifetime =
                spec.ttl()
                        .by(() -> now)
                        .askedLate(
                                () -> bundleBegan,
                                SaturatedMath.add(spec.bundle().latencyMillis(), LATE_MILLIS));
        accumulators = LoadableAgedValue.open(viewContext(true), "accState", serializer, lifetime);
    }

    @Override
    protected void finishBundle() throws Exception {
        if (bundle().isEmpty()) {
            return;
        }
        bundleBegan = bundle().values().iterator().next().firstCame();
        visitKeys(
                bundle(),
                accumulators,
                (rows, loaded) -> visit(rows.takeUpTo(Long.MAX_VALUE), loaded));
        bundle().clear();
    }

    private void visit(List<ArrivedRows.Arrival> rows, Loaded<RowData> loaded) throws Exception {
        now = rows.get(0).time();
        RowData stored = loaded.value();
        function.setAccumulators(stored == null ? function.createAccumulators() : stored);
        for (ArrivedRows.Arrival arrival : rows) {
            if (lifetime.isExpired(now, arrival.time())) {
                function.setAccumulators(function.createAccumulators());
            }
            now = arrival.time();
            function.accumulate(arrival.row());
            results.emit(arrival.row(), function.getValue());
        }
        accumulators.update(serializer.toBinaryRow(function.getAccumulators()).copy(), now);
    }
}
