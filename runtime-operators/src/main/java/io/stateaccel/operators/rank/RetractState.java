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
package io.stateaccel.operators.rank;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.time.Lifetime;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.SortedMapTypeInfo;

/**
 * What a top-N of all changes stores of a partition, as Flink's {@code RetractableTopNFunction}
 * does: the rows of each sort key in the order in which they came, and how many these are, of all
 * sort keys in one value. With a time to live the rows of a sort key may have expired, and their
 * number not.
 */
final class RetractState {

    private final Comparator<RowData> order;
    private final RowDataKeySelector sortKeySelector;
    private final MapState<RowData, List<RowData>> rows;
    private final LoadableValue<SortedMap<RowData, Long>> counts;

    /**
     * @param order of the sort keys
     */
    RetractState(MiniBatchRankSpec spec, ViewContext context, Comparator<RowData> order) {
        this.order = order;
        this.sortKeySelector = KeySelectors.copy(spec.sortKeySelector());
        Lifetime lifetime = context.lifetime(spec.ttl());
        InternalTypeInfo<RowData> sortKeyType = sortKeySelector.getProducedType();
        this.rows =
                context.runtime()
                        .getMapState(
                                lifetime.applyTo(
                                        new MapStateDescriptor<>(
                                                "data-state",
                                                sortKeyType,
                                                new ListTypeInfo<>(spec.inputType()))));
        this.counts =
                LoadableValue.open(
                        context,
                        lifetime.applyTo(
                                new ValueStateDescriptor<>(
                                        "sorted-map",
                                        new SortedMapTypeInfo<>(
                                                sortKeyType,
                                                Types.LONG,
                                                spec.sortKeyComparator()))));
    }

    Comparator<RowData> order() {
        return order;
    }

    RowData sortKeyOf(RowData row) throws Exception {
        return sortKeySelector.getKey(row);
    }

    Loadable<SortedMap<RowData, Long>> counts() {
        return counts;
    }

    /** The numbers of rows of the current key by sort key, which may be changed. */
    SortedMap<RowData, Long> countsOf(Loaded<SortedMap<RowData, Long>> loaded) throws Exception {
        SortedMap<RowData, Long> stored = loaded.value();
        return stored == null ? new TreeMap<>(order) : stored;
    }

    /**
     * To be called behind {@link #writeRows}, so that the numbers do not expire before the rows.
     */
    void writeCounts(SortedMap<RowData, Long> changed) throws Exception {
        counts.update(changed);
    }

    /** The rows of a sort key, not to be changed; null if there are none, or no longer. */
    @Nullable
    List<RowData> rowsOf(RowData sortKey) throws Exception {
        return rows.get(sortKey);
    }

    /**
     * @param changed kept by reference
     */
    void writeRows(RowData sortKey, List<RowData> changed) throws Exception {
        if (changed.isEmpty()) {
            rows.remove(sortKey);
        } else {
            rows.put(sortKey, changed);
        }
    }
}
