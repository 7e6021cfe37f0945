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

/**
 * What kinds of changes one join input carries, as the planner inferred it ({@code
 * ChangelogPlanUtils}). It decides how rows of a bundle may be folded and how they are stored.
 */
public enum InputChangelog {
    /** Only {@code +I}. */
    INSERT_ONLY,

    /**
     * Every change of a row is announced by a {@code -U} or {@code -D} that carries the old row.
     */
    RETRACT,

    /** A {@code +U} replaces the row of the same unique key; there is no {@code -U}. */
    UPSERT
}
