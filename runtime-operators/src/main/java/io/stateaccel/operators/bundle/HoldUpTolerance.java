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
package io.stateaccel.operators.bundle;

/**
 * How much the output may hold up a flush, with a checkpoint barrier behind it.
 *
 * @param millis for how long at a time
 * @param calmMillis for how long bundles do not grow after it was longer
 */
record HoldUpTolerance(long millis, long calmMillis) {

    /** Whatever the output does. */
    static final HoldUpTolerance ANY = new HoldUpTolerance(Long.MAX_VALUE, 0);
}
