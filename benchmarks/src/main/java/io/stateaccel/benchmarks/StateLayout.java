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

/** How the rows of a key are kept. */
public enum StateLayout {
    VALUE(1),
    LIST(1),
    MAP_OF_1(1),
    MAP_OF_10(10),
    MAP_OF_1000(1_000);

    /** Rows of each key that there is. */
    final int rows;

    StateLayout(int rows) {
        this.rows = rows;
    }
}
