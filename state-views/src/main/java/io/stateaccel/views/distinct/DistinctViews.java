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
package io.stateaccel.views.distinct;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.SerializedLists;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.TimeToLive;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.dataview.StateListView;
import org.apache.flink.table.runtime.dataview.StateMapView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state in which generated aggregate functions keep what does not fit into an accumulator.
 * Values seen by aggregates with DISTINCT are packed ({@link PackedMap}) in a job that begins on a
 * backend that keeps lists on the heap, unless they are of a rare type; all else is as Flink keeps
 * it, and so are those values where a job goes on from a snapshot that has them in Flink's layout.
 * Used by the task thread.
 */
public final class DistinctViews implements StateDataViewStore {

    private static final Logger LOG = LoggerFactory.getLogger(DistinctViews.class);

    /** As {@link PerKeyStateDataViewStore} has it. */
    private static final String OF_NULL = "_null_state";

    private final StateDataViewStore flinks;
    private final ViewContext context;
    private final TimeToLive ttl;
    private final boolean mayPack;

    /**
     * @param ttl of all that is kept
     * @param pack whether values are packed if the job begins now
     */
    public DistinctViews(ViewContext context, TimeToLive ttl, boolean pack) {
        this.flinks = new PerKeyStateDataViewStore(context.runtime(), ttl.config());
        this.context = context;
        this.ttl = ttl;
        this.mayPack = pack && context.startsWithoutState();
    }

    /**
     * @param supportNullKey true for the values of DISTINCT, and for nothing else
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the state in
     *     another layout
     */
    @Override
    public <N, K, V> StateMapView<N, K, V> getStateMapView(
            String stateName,
            boolean supportNullKey,
            TypeSerializer<K> keys,
            TypeSerializer<V> values)
            throws Exception {
        if (supportNullKey) {
            boolean isNoted = context.layouts().isNoted(stateName, StateLayout.PACKED_MAP);
            if (isNoted || mayPack(keys, values)) {
                return packed(stateName, keys, values);
            }
        }
        return flinks.getStateMapView(stateName, supportNullKey, keys, values);
    }

    private boolean mayPack(TypeSerializer<?> keys, TypeSerializer<?> values) {
        return mayPack
                && SerializedLists.areKept(context.backend())
                && PackedMaps.mayBeOf(keys, values);
    }

    @Override
    public <N, E> StateListView<N, E> getStateListView(String stateName, TypeSerializer<E> elements)
            throws Exception {
        return flinks.getStateListView(stateName, elements);
    }

    @Override
    public RuntimeContext getRuntimeContext() {
        return context.runtime();
    }

    private <N, K, V> StateMapView<N, K, V> packed(
            String stateName, TypeSerializer<K> keys, TypeSerializer<V> values) throws Exception {
        PackedMap<K, V> map =
                context.layouts()
                        .open(
                                stateName,
                                StateLayout.PACKED_MAP,
                                () ->
                                        PackedMaps.open(
                                                context.backend(),
                                                stateName,
                                                keys,
                                                values,
                                                context.lifetime(ttl)));
        LOG.info("[state-accel] state '{}': values of DISTINCT are packed", stateName);
        return new PackedMapView<>(map, ofNull(stateName, values));
    }

    private <V> ValueState<V> ofNull(String stateName, TypeSerializer<V> values) {
        ValueStateDescriptor<V> descriptor =
                new ValueStateDescriptor<>(stateName + OF_NULL, values);
        if (!ttl.isForever()) {
            descriptor.enableTimeToLive(ttl.config());
        }
        return context.runtime().getState(descriptor);
    }
}
