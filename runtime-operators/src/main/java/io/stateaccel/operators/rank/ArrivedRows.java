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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/** The first rows of a partition in a bundle, in the order in which they came. */
final class ArrivedRows implements FirstRows {

    private final RankedRows first;
    private final List<RowData> arrived = new ArrayList<>(2);

    private final boolean keepsAll;

    /**
     * @param most how many rows have to be before another for it not to be taken
     * @param keepsAll whether a row stays that as many others are before which have come later
     */
    ArrivedRows(Comparator<RowData> order, int most, boolean keepsAll) {
        this.first = new RankedRows(order, most);
        this.keepsAll = keepsAll;
    }

    @Override
    public boolean takes(RowData row) {
        return first.takes(row);
    }

    @Override
    @Nullable
    public RowData add(RowData row) {
        RowData fallen = first.add(row);
        arrived.add(row);
        if (fallen == null || keepsAll) {
            return null;
        }
        int place = 0;
        while (arrived.get(place) != fallen) {
            place++;
        }
        arrived.remove(place);
        return fallen;
    }

    /** As they came. */
    @Override
    public List<RowData> rows() {
        return arrived;
    }
}
