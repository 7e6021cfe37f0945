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
package io.stateaccel.operators.over;

import java.io.Serializable;

/**
 * How long the state of a key is kept that nothing comes for, as Flink's {@code
 * KeyedProcessFunctionWithCleanupState} does.
 *
 * @param minMillis it is kept as long in any case; up to 1 for ever
 * @param maxMillis at most as long, so that its end need not be put off with every row
 */
public record IdleRetention(long minMillis, long maxMillis) implements Serializable {

    public static final IdleRetention FOREVER = new IdleRetention(0, 0);

    boolean ends() {
        return minMillis > 1;
    }
}
