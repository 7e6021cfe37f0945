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

import java.util.Comparator;
import org.apache.flink.table.data.RowData;

/**
 * Which rows of a partition are the result.
 *
 * @param order of the rows
 * @param ranks of the result
 * @param byRank whether the result is one row per rank, and not a number of rows
 */
record TopN(Comparator<RowData> order, ResultRanks ranks, boolean byRank) {

    /** How many rows are ranked up to the last one of the result, at the most. */
    int most() {
        return ranks.most();
    }
}
