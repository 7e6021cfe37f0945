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
package io.stateaccel.benchmarks;

/**
 * What is done with the state of one key, which is there or not. Those on the same layout are next
 * to each other, as {@link FilledState} keeps what was filled last.
 */
public enum Operation {
    VALUE_GET(StateLayout.VALUE, 1, FilledState::getValue),
    VALUE_GET_ABSENT(StateLayout.VALUE, 0, FilledState::getValue),
    VALUE_GET_AHEAD(StateLayout.VALUE, 1, FilledState::getValueAhead),
    VALUE_GET_AHEAD_ABSENT(StateLayout.VALUE, 0, FilledState::getValueAhead),
    VALUE_PUT(StateLayout.VALUE, 1, FilledState::putValue),
    LIST_APPEND(StateLayout.LIST, 1, FilledState::append),
    LIST_GET(StateLayout.LIST, 1, FilledState::getList),
    LIST_GET_AHEAD(StateLayout.LIST, 1, FilledState::getListAhead),
    MAP_GET(StateLayout.MAP_OF_10, 1, FilledState::getMapEntry),
    MAP_GET_ABSENT(StateLayout.MAP_OF_10, 0, FilledState::getMapEntry),
    MAP_SCAN_ABSENT(StateLayout.MAP_OF_10, 0, FilledState::scanMap),
    MAP_SCAN_10(StateLayout.MAP_OF_10, 10, FilledState::scanMap),
    MAP_SCAN_1(StateLayout.MAP_OF_1, 1, FilledState::scanMap),
    MAP_SCAN_1000(StateLayout.MAP_OF_1000, 1_000, FilledState::scanMap);

    final StateLayout layout;

    /** Rows that each finds or writes; 0 where the key is absent. */
    final int rows;

    private final Step step;

    Operation(StateLayout layout, int rows, Step step) {
        this.layout = layout;
        this.rows = rows;
        this.step = step;
    }

    /** Does it to a random key; returns the rows found or written. */
    int perform(FilledState state) throws Exception {
        state.chooseKey(rows > 0);
        return step.perform(state);
    }

    private interface Step {
        int perform(FilledState state) throws Exception;
    }
}
