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
package io.stateaccel.config;

/** What the metrics of bundles show of the most frequent key. */
public enum HottestKeyMode {
    /**
     * A hash, from which the value cannot be read, but which a suspected one can be compared to.
     */
    HASH,
    /** The value: it goes to all reporters. */
    VALUE,
    /** Nothing; its share of the rows is shown all the same. */
    OFF
}
