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

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.batch.SerializedLists;
import io.stateaccel.views.time.Lifetime;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/** Makes the {@link RowLog} that fits what becomes of its rows. */
public final class RowLogs {

    private RowLogs() {}

    /**
     * Opens the state of a log whose rows live for ever, or expire one by one.
     *
     * @param context where the state is kept
     * @param type the rows
     * @param lifetime of a row after it was appended
     * @param lenient whether a row may outlive that by as much as {@link Lifetime} allows
     */
    @SuppressWarnings("unchecked")
    public static RowLog open(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            Lifetime lifetime,
            boolean lenient)
            throws Exception {
        return lifetime.isForever()
                ? new PlainRowLog<>(
                        ReadsAhead.of(context.backend()),
                        stateName,
                        (InternalListState<?, Integer, RowData>)
                                context.backend()
                                        .getOrCreateKeyedState(
                                                IntSerializer.INSTANCE,
                                                new ListStateDescriptor<>(
                                                        stateName, type.toRowSerializer())),
                        Integer::valueOf,
                        SerializedLists.areKept(context.backend())
                                ? SerializedLists.of(context.backend(), stateName).orElse(null)
                                : null)
                : new ExpiringRowLog(
                        context.backend(), stateName, type.toRowSerializer(), lifetime, lenient);
    }

    /**
     * A log that has its chunks dropped some day.
     *
     * @param context where the state is kept
     * @param state opened
     * @param namespaceOf the namespace of a chunk; may depend on what is current
     * @param written told of what is written, and of the chunk that it is in now
     */
    public static <N> RowLog dropped(
            ViewContext context,
            String stateName,
            InternalListState<?, N, RowData> state,
            IntFunction<N> namespaceOf,
            ObjIntConsumer<List<RowData>> written) {
        return new DroppedRowLog(
                new PlainRowLog<>(
                        ReadsAhead.of(context.backend()), stateName, state, namespaceOf, null),
                written);
    }
}
