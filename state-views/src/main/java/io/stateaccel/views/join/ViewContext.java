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

import java.util.function.LongSupplier;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.runtime.state.KeyedStateBackend;

/**
 * Where an operator's views keep their state.
 *
 * @param runtime registers states under the operator's name
 * @param backend holds the operator's keyed state
 * @param clock milliseconds of processing time, by which rows expire
 */
public record ViewContext(
        RuntimeContext runtime, KeyedStateBackend<?> backend, LongSupplier clock) {

    /**
     * What the user is told when a state is there with another layout.
     *
     * @param layout how the view would keep it
     */
    IllegalStateException refusal(String stateName, String layout, Exception cause) {
        return new IllegalStateException(
                String.format(
                        "The state '%s' of '%s' cannot be opened as an accelerated join view (%s)."
                                + " If the job was restored from a snapshot taken without"
                                + " table.exec.state-accel.enabled, either restore it with"
                                + " SET 'table.exec.state-accel.enabled' = 'false', or start it"
                                + " without that snapshot.",
                        stateName, runtime.getTaskInfo().getTaskName(), layout),
                cause);
    }
}
