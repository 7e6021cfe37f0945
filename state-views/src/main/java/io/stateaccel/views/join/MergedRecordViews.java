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

import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/** Makes the {@link MergedRecordView} that fits a join input. */
public final class MergedRecordViews {

    private MergedRecordViews() {}

    /**
     * @param ctx where the state is registered
     * @param stateName the name stock Flink gives this side's state, so that restoring a savepoint
     *     whose layout differs is refused by the backend and never starts empty
     * @param type the rows of the side
     * @param uniqueKeys the side's unique keys
     * @param changelog the side's changes
     */
    public static MergedRecordView create(
            RuntimeContext ctx,
            String stateName,
            InternalTypeInfo<RowData> type,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog) {
        MergedViewKind kind = MergedViewKind.of(uniqueKeys, changelog);
        try {
            return create(ctx, stateName, type, uniqueKeys, changelog, kind);
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    String.format(
                            "The state '%s' of '%s' cannot be opened as an accelerated join view (%s)."
                                    + " If the job was restored from a snapshot taken without"
                                    + " table.exec.state-accel.enabled, either restore it with"
                                    + " SET 'table.exec.state-accel.enabled' = 'false', or start it"
                                    + " without that snapshot.",
                            stateName, ctx.getTaskInfo().getTaskName(), kind),
                    e);
        }
    }

    private static MergedRecordView create(
            RuntimeContext ctx,
            String stateName,
            InternalTypeInfo<RowData> type,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog,
            MergedViewKind kind) {
        if (kind == MergedViewKind.SINGLE_ROW) {
            return new SingleRowView(ctx.getState(new ValueStateDescriptor<>(stateName, type)));
        }
        ListStateDescriptor<RowData> descriptor = new ListStateDescriptor<>(stateName, type);
        return switch (kind) {
            case APPENDED_LIST -> new AppendedListView(ctx.getListState(descriptor));
            case UNIQUE_KEY_LIST ->
                    new FoldedListView(
                            ctx.getListState(descriptor),
                            new UniqueKeyFold(
                                    uniqueKeys.getUniqueKeySelector(),
                                    changelog == InputChangelog.UPSERT));
            default -> new FoldedListView(ctx.getListState(descriptor), new CountedFold());
        };
    }
}
