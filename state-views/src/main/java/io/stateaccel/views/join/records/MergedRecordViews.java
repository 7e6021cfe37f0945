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
import io.stateaccel.views.join.RenewingRecordView;
import io.stateaccel.views.join.SettledRecordView;
import io.stateaccel.views.join.fold.ChangeFold;
import io.stateaccel.views.join.fold.EntryFold;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.layout.SwitchedState;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/** Makes the {@link MergedRecordView} that fits a join input. */
public final class MergedRecordViews {

    /** A namespace of a type that no join of stock has, so that Flink refuses the state there. */
    private static final Integer NOT_STOCKS = 0;

    private MergedRecordViews() {}

    /**
     * @param context where the state is kept
     * @param stateName the name stock Flink gives this side's state, so that restoring a savepoint
     *     whose layout differs is refused by the backend and never starts empty
     * @param type the rows of the side
     * @param uniqueKeys the side's unique keys
     * @param changelog the side's changes
     * @param lifetime of a row after it was written last
     * @param keepsMatches whether rows are kept with the number of their matches; the view is a
     *     {@link RenewingRecordView} then
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the side's
     *     state in another layout
     */
    public static MergedRecordView create(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog,
            Lifetime lifetime,
            boolean keepsMatches)
            throws Exception {
        if (keepsMatches) {
            return withMatches(context, stateName, type, uniqueKeys, changelog, lifetime);
        }
        StateLayout layout = MergedViewKind.of(uniqueKeys, changelog).layout();
        if (uniqueKeys.joinKeyContainsUniqueKey()) {
            return context.layouts()
                    .open(stateName, layout, () -> singleRow(context, stateName, type, lifetime));
        }
        ListView rows =
                context.layouts()
                        .open(
                                stateName,
                                layout,
                                () ->
                                        list(
                                                context,
                                                stateName,
                                                type,
                                                uniqueKeys,
                                                changelog,
                                                lifetime));
        return lifetime.isForever() || uniqueKeys.hasUniqueKey()
                ? rows
                : new RenewedListView(rows, changelog == InputChangelog.INSERT_ONLY);
    }

    /**
     * Rows of a side that is normalised by them, which stand for those that Flink's {@code
     * ChangelogNormalize} has as well: a join of an input that comes normalised cannot take their
     * place, nor they that of its rows.
     *
     * @param stateName the name stock Flink gives this side's state
     * @param type the rows of the side, one per join key
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the side's
     *     state in another layout
     */
    public static MergedRecordView normalized(
            ViewContext context, String stateName, InternalTypeInfo<RowData> type)
            throws Exception {
        return context.layouts()
                .open(
                        stateName,
                        StateLayout.NORMALIZED_ROW,
                        () ->
                                singleRow(
                                        context,
                                        stateName,
                                        type,
                                        context.lifetime(TimeToLive.FOREVER)));
    }

    private static SingleRowView singleRow(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            Lifetime lifetime)
            throws Exception {
        return new SingleRowView(value(context, stateName, type.toRowSerializer(), lifetime));
    }

    private static ListView list(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog,
            Lifetime lifetime)
            throws Exception {
        RowLog log = RowLogs.open(context, stateName, type, lifetime, false);
        int arity = type.toRowSize();
        return switch (MergedViewKind.of(uniqueKeys, changelog)) {
            case APPENDED_LIST -> new AppendedListView(log, arity);
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

    /**
     * Whether the snapshot has rows of a side with the number of their matches.
     *
     * @param stateName the name stock Flink gives this side's state
     */
    public static boolean areMatchesFound(
            ViewContext context, String stateName, JoinInputSideSpec uniqueKeys) throws Exception {
        return SwitchedState.isNoted(context.layouts(), stateName, layoutWithMatches(uniqueKeys));
    }

    private static StateLayout layoutWithMatches(JoinInputSideSpec uniqueKeys) {
        if (uniqueKeys.joinKeyContainsUniqueKey()) {
            return StateLayout.SINGLE_ROW_AND_MATCHES;
        }
        return uniqueKeys.hasUniqueKey()
                ? StateLayout.UNIQUE_KEY_LIST_AND_MATCHES
                : StateLayout.COUNTED_LIST_AND_MATCHES;
    }

    private static SwitchedState switched(
            ViewContext context,
            String stateName,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog)
            throws Exception {
        return SwitchedState.of(
                context.layouts(),
                stateName,
                layoutWithMatches(uniqueKeys),
                MergedViewKind.of(uniqueKeys, changelog).layout());
    }

    /**
     * What the snapshot has of a side whose rows are kept with the number of their matches from now
     * on, and were not before.
     *
     * @return null if there is nothing of that kind
     */
    @Nullable
    public static UncountedRecords uncounted(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog)
            throws Exception {
        SwitchedState switched = switched(context, stateName, uniqueKeys, changelog);
        if (!switched.isSwitched()) {
            return null;
        }
        // Without state TTL, or there would be numbers.
        Lifetime forever = context.lifetime(TimeToLive.FOREVER);
        if (uniqueKeys.joinKeyContainsUniqueKey()) {
            SingleRowView row =
                    switched.openBefore(name -> singleRow(context, name, type, forever));
            return new UncountedRecords(
                    switched,
                    context.mayBeStocks() ? VoidNamespace.INSTANCE : NOT_STOCKS,
                    row,
                    key -> row.clear());
        }
        ListView rows =
                switched.openBefore(
                        name -> list(context, name, type, uniqueKeys, changelog, forever));
        return new UncountedRecords(switched, RowLog.FIRST, rows, rows::clear);
    }

    private static RenewingRecordView withMatches(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog,
            Lifetime lifetime)
            throws Exception {
        SwitchedState switched = switched(context, stateName, uniqueKeys, changelog);
        if (uniqueKeys.joinKeyContainsUniqueKey()) {
            return switched.open(
                    name ->
                            new MatchedSingleRowView(
                                    value(context, name, rowAndMatches(type), lifetime)));
        }
        boolean keyed = uniqueKeys.hasUniqueKey();
        RowLog log = switched.open(name -> RowLogs.open(context, name, type, lifetime, true));
        return new MatchedListView(
                log,
                new EntryFold(keyed ? uniqueKeys.getUniqueKeySelector() : null),
                keyed,
                changelog == InputChangelog.INSERT_ONLY,
                type.toRowSize());
    }

    /** As stock Flink's join has it. */
    @SuppressWarnings("unchecked")
    private static TypeSerializer<Tuple2<RowData, Integer>> rowAndMatches(
            InternalTypeInfo<RowData> type) {
        return new TupleSerializer<>(
                (Class<Tuple2<RowData, Integer>>) (Class<?>) Tuple2.class,
                new TypeSerializer<?>[] {type.toRowSerializer(), IntSerializer.INSTANCE});
    }

    private static <V> LoadableValue<V> value(
            ViewContext context, String stateName, TypeSerializer<V> serializer, Lifetime lifetime)
            throws Exception {
        ValueStateDescriptor<V> descriptor =
                lifetime.applyTo(new ValueStateDescriptor<>(stateName, serializer));
        if (context.mayBeStocks()) {
            return LoadableValue.open(context, descriptor);
        }
        InternalValueState<?, Integer, V> state =
                (InternalValueState<?, Integer, V>)
                        context.backend().getOrCreateKeyedState(IntSerializer.INSTANCE, descriptor);
        state.setCurrentNamespace(NOT_STOCKS);
        return new LoadableValue<>(context, stateName, state);
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

    /**
     * Insert-only rows that are settled one by one.
     *
     * @param log where they are kept
     * @param arity columns of a row
     */
    public static SettledRecordView settled(RowLog log, int arity) {
        return new SettledListView(log, arity);
    }
}
