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
package io.stateaccel.operators.window.aggregate;

import io.stateaccel.flink.operator.KeySelectors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Holds results back until a better one of the same group comes, which takes their place, or until
 * they are asked for. Where too many are held, they go on, and their groups begin anew: no more
 * than that is promised than that a result that is left out has a better one. Used by the task
 * thread.
 */
final class BestResults {

    /** Of rows of a hundred bytes it is a megabyte. */
    private static final int MAX_HELD = 10_000;

    private final RowDataKeySelector groups;
    private final RecordComparator order;
    private final RowDataSerializer serializer;
    private final Consumer<RowData> output;

    /** Those of a group are as good as each other. */
    private final Map<RowData, List<RowData>> best = new HashMap<>();

    /** Results of a window come one after the other. */
    @Nullable private RowData lastGroup;

    private List<RowData> bestOfLastGroup = List.of();
    private int held;

    /**
     * @param output where results go on
     */
    BestResults(BestResultsSpec spec, ClassLoader classLoader, Consumer<RowData> output) {
        this.groups = KeySelectors.copy(spec.groups());
        this.order = spec.order().newInstance(classLoader);
        this.serializer = spec.type().toRowSerializer();
        this.output = output;
    }

    /**
     * @param result may be used again by whoever gives it
     */
    void add(RowData result) {
        List<RowData> ofGroup = bestOf(groupOf(result));
        if (!ofGroup.isEmpty()) {
            int compared = order.compare(result, ofGroup.get(0));
            if (compared < 0) {
                return;
            }
            if (compared > 0) {
                held -= ofGroup.size();
                ofGroup.clear();
            }
        }
        ofGroup.add(serializer.toBinaryRow(result).copy());
        held++;
        if (held >= MAX_HELD) {
            emit();
        }
    }

    private RowData groupOf(RowData result) {
        try {
            return groups.getKey(result);
        } catch (Exception e) {
            throw new FlinkRuntimeException("No group of a window's result", e);
        }
    }

    private List<RowData> bestOf(RowData group) {
        if (!group.equals(lastGroup)) {
            lastGroup = ((BinaryRowData) group).copy();
            bestOfLastGroup = best.computeIfAbsent(lastGroup, added -> new ArrayList<>());
        }
        return bestOfLastGroup;
    }

    /** Has all go on that are held. */
    void emit() {
        best.values().forEach(ofGroup -> ofGroup.forEach(output));
        best.clear();
        lastGroup = null;
        held = 0;
    }
}
