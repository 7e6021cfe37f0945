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
package io.stateaccel.views.join.records;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.MergedViewKind;
import io.stateaccel.views.join.fold.ChangeFold;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.time.Lifetime;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/** Makes the {@link MergedRecordView} that fits a join input. */
public final class MergedRecordViews {

    private MergedRecordViews() {}

    /**
     * @param context where the state is kept
     * @param stateName the name stock Flink gives this side's state, so that restoring a savepoint
     *     whose layout differs is refused by the backend and never starts empty
     * @param type the rows of the side
     * @param uniqueKeys the side's unique keys
     * @param changelog the side's changes
     * @param lifetime of a row after it was added. Equal rows expire one by one; stock Flink keeps
     *     all of them as long as the youngest.
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the side's
     *     state in another layout
     */
    public static MergedRecordView create(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog,
            Lifetime lifetime)
            throws Exception {
        MergedViewKind kind = MergedViewKind.of(uniqueKeys, changelog);
        if (kind == MergedViewKind.SINGLE_ROW) {
            return context.layouts()
                    .open(
                            stateName,
                            kind.layout(),
                            () -> singleRow(context, stateName, type, lifetime));
        }
        RowLog log =
                context.layouts()
                        .open(
                                stateName,
                                kind.layout(),
                                () -> RowLogs.open(context, stateName, type, lifetime));
        int arity = type.toRowSize();
        return switch (kind) {
            case APPENDED_LIST -> appended(log, arity);
            case UNIQUE_KEY_LIST ->
                    new FoldedListView(
                            log,
                            ChangeFold.byUniqueKey(
                                    uniqueKeys.getUniqueKeySelector(),
                                    changelog == InputChangelog.UPSERT),
                            arity);
            default -> new FoldedListView(log, ChangeFold.counted(log), arity);
        };
    }

    private static MergedRecordView singleRow(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            Lifetime lifetime)
            throws Exception {
        ValueStateDescriptor<RowData> descriptor =
                lifetime.applyTo(new ValueStateDescriptor<>(stateName, type.toRowSerializer()));
        if (context.mayBeStocks()) {
            return new SingleRowView(LoadableValue.open(context, descriptor));
        }
        // A namespace of a type that no join of stock has, so that Flink refuses the state there.
        InternalValueState<?, Integer, RowData> state =
                (InternalValueState<?, Integer, RowData>)
                        context.backend().getOrCreateKeyedState(IntSerializer.INSTANCE, descriptor);
        state.setCurrentNamespace(0);
        return new SingleRowView(new LoadableValue<>(context, stateName, state));
    }

    /**
     * Insert-only rows.
     *
     * @param log where they are kept
     * @param arity columns of a row
     */
    public static MergedRecordView appended(RowLog log, int arity) {
        return new AppendedListView(log, arity);
    }
}
