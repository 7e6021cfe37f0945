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
public final class StockReasonLog {

    private static final Logger LOG = LoggerFactory.getLogger(StockReasonLog.class);

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
     * @param reason why it stays
     */
    public synchronized void say(String node, StockReason reason) {
        if (said.add(reason.name() + ' ' + node)) {
            LOG.info("[state-accel] Stays stock: {}. Reason: {}.", node, reason);
        }
    }

    /**
     * @param node the aggregate or top-N as EXPLAIN shows it
     * @param reason why it is not fused with the join below it
     */
    public synchronized void sayUnfused(String node, UnfusedReason reason) {
        if (said.add(reason.name() + ' ' + node)) {
            LOG.info(
                    "[state-accel] Not fused with the join below it: {}. Reason: {}.",
                    node,
                    reason);
        }
    }

    /**
     * @param node the aggregate as EXPLAIN shows it
     * @param reason why the join below it joins rows and not what they come to
     */
    public synchronized void sayJoinedFirst(String node, JoinedFirstReason reason) {
        if (said.add(reason.name() + ' ' + node)) {
            LOG.info(
                    "[state-accel] Not aggregated before the join below it: {}. Reason: {}.",
                    node,
                    reason);
        }
    }

    /**
     * @param node the aggregate as EXPLAIN shows it
     * @param reason why nothing of it is done in the join below it
     */
    public synchronized void sayOnePhase(String node, OnePhaseReason reason) {
        if (said.add(reason.name() + ' ' + node)) {
            LOG.info(
                    "[state-accel] No local aggregate in the join below it: {}. Reason: {}.",
                    node,
                    reason);
        }
    }
}
