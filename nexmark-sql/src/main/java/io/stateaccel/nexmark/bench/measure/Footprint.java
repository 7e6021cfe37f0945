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
package io.stateaccel.nexmark.bench.measure;

/**
 * What a job occupied at a moment.
 *
 * @param seconds since the measured time began; negative in the warm-up
 * @param diskBytes size of the state's local files, logs left out
 * @param files number of them
 * @param heapBytes what was left on the heap of the process by a full garbage collection
 */
public record Footprint(double seconds, long diskBytes, int files, long heapBytes) {}
