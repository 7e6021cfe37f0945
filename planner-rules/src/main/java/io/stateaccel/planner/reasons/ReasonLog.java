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
package io.stateaccel.planner.reasons;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the user, once per node, why it stays stock, or is not accelerated as far as it could be.
 *
 * <p>Flink optimises the same node several times (once per block of a plan with several sinks, and
 * again for EXPLAIN), so what was said is remembered for the life of a table environment; the
 * oldest is forgotten first.
 */
public final class ReasonLog {

    private static final Logger LOG = LoggerFactory.getLogger(ReasonLog.class);

    private static final int REMEMBERED = 1_000;

    private final Set<String> said =
            Collections.newSetFromMap(
                    new LinkedHashMap<>() {
                        @Override
                        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                            return size() > REMEMBERED;
                        }
                    });

    /**
     * @param node the node as EXPLAIN shows it
     * @param reason why it stays stock, or is not accelerated further
     */
    public synchronized void say(String node, Reason reason) {
        // By the wording, so that one and the same thing is not said of a node twice.
        if (said.add(reason + " " + node)) {
            LOG.info("[state-accel] {}: {}. Reason: {}.", reason.outcome(), node, reason);
        }
    }
}
