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
package io.stateaccel.views.time;

import java.io.Serializable;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.table.runtime.util.StateConfigUtil;

/**
 * How long what is kept lives after it was last written, as the plan says.
 *
 * @param millis 0 for ever
 */
public record TimeToLive(long millis) implements Serializable {

    public static final TimeToLive FOREVER = new TimeToLive(0);

    public TimeToLive {
        if (millis < 0) {
            throw new IllegalArgumentException("Negative time to live: " + millis + " ms");
        }
    }

    /**
     * @param millis what Flink says; what is not positive is for ever, as in {@code
     *     StateConfigUtil}
     */
    public static TimeToLive ofMillis(long millis) {
        return millis <= 0 ? FOREVER : new TimeToLive(millis);
    }

    public boolean isForever() {
        return millis == 0;
    }

    /** As Flink's states take it. */
    public StateTtlConfig config() {
        return StateConfigUtil.createTtlConfig(millis);
    }

    /**
     * @param clock milliseconds of processing time
     */
    public Lifetime by(LongSupplier clock) {
        return new Lifetime(this, clock);
    }
}
