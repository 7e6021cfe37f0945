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

/**
 * What changes come into a top-N: Flink's {@code RankProcessStrategy}, and whether there is an
 * order.
 */
public enum RankInput {
    /** Insertions only. */
    APPEND,

    /** Insertions only, which are ranked as they come. */
    ARRIVAL,

    /** Upserts by a key, each ranked as high as the one it replaces or higher; no deletions. */
    UPDATE,

    /** All changes, updates with their {@code -U}. */
    RETRACT
}
