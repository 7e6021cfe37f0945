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
package io.stateaccel.planner.aggregate;

import io.stateaccel.views.time.TimeToLive;
import javax.annotation.Nullable;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;

/** How long the groups of an aggregate live. */
public final class AggregateTtl {

    private AggregateTtl() {}

    /**
     * @param fromHint milliseconds of a {@code STATE_TTL} hint, null without one
     * @param config has the session's
     */
    public static TimeToLive of(@Nullable Long fromHint, ExecNodeConfig config) {
        return TimeToLive.ofMillis(fromHint != null ? fromHint : config.getStateRetentionTime());
    }
}
