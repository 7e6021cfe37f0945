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
package io.stateaccel.planner.compiled;

import org.apache.flink.table.api.PlannerConfig;

/** A session that is told when it runs accelerated nodes which it has not planned. */
public interface CompiledPlanUser extends PlannerConfig {

    /** Called before the operators of a compiled plan are made. */
    void translating();
}
