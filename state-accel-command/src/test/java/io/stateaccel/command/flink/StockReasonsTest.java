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
package io.stateaccel.command.flink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class StockReasonsTest {

    private static final Logger LOG =
            LoggerFactory.getLogger("io.stateaccel.planner.reasons.ReasonLog");

    @Test
    void hearsWhatTheRulesLog() {
        StockReasons reasons = StockReasons.listen();
        LOG.info("[state-accel] Stays stock: {}. Reason: {}.", "Join(a: b. c)", "it is so");
        LOG.info("another line");

        assertThat(reasons.of("a plan without it, but the reason is new"))
                .containsExactly("Stays stock: Join(a: b. c)\n    as it is so");
        assertThat(reasons.of("a plan without it")).isEmpty();
        assertThat(reasons.of("+- Join(a: b. c)")).hasSize(1);
    }
}
