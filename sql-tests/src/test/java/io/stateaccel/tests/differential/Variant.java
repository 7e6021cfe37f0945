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
package io.stateaccel.tests.differential;

/**
 * One way to run a case.
 *
 * @param restarts whether the job fails in the middle and goes on from its last checkpoint
 */
record Variant(boolean accelerated, String backend, boolean restarts) {

    /** What every other run is compared with: stock Flink, nothing going wrong. */
    static final Variant ORACLE = new Variant(false, "hashmap", false);

    @Override
    public String toString() {
        return "%s on %s%s"
                .formatted(
                        accelerated ? "accelerated" : "stock",
                        backend,
                        restarts ? " with a restore in the middle" : "");
    }
}
