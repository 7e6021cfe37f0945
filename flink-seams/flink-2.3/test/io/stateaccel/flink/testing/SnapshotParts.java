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
package io.stateaccel.flink.testing;

import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.OperatorID;

/** Parts of snapshots for tests; operators have names in them from Flink 2.0 on. */
public final class SnapshotParts {

    private SnapshotParts() {}

    /** What a snapshot has of an operator; name and uid may be null. */
    public static OperatorState operator(
            String name, String uid, OperatorID id, int parallelism, int maxParallelism) {
        return new OperatorState(name, uid, id, parallelism, maxParallelism);
    }
}
