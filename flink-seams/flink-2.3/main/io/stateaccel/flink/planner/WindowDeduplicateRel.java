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
package io.stateaccel.flink.planner;

import javax.annotation.Nullable;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowDeduplicate;

/** Reads a {@link StreamPhysicalWindowDeduplicate}, which from 2.1 on tells its windows. */
public final class WindowDeduplicateRel {

    private WindowDeduplicateRel() {}

    /** The windows of its rows; null where this is not known for sure, which is in older lines. */
    @Nullable
    public static WindowingStrategy windowingOf(StreamPhysicalWindowDeduplicate deduplicate) {
        return deduplicate.getWindowingStrategy();
    }
}
