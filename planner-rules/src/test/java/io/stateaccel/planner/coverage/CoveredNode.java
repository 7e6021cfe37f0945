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
package io.stateaccel.planner.coverage;

import io.stateaccel.planner.reasons.Reason;
import java.util.List;

/**
 * What is known of a stateful node of Flink.
 *
 * @param name behind {@code StreamPhysical}
 * @param sql what plans it
 * @param staysStock why it stays Flink's: always, or where it would be accelerated otherwise
 * @param gains what the jar does for it where it stays Flink's, or why nothing can be gained
 * @param measured CPU of Flink's operator against what runs in its place, or nothing
 * @param tests that compare the two, or hold that it stays, by the names of their classes
 */
record CoveredNode(
        String name,
        String sql,
        List<Reason> staysStock,
        String gains,
        String measured,
        List<String> tests) {

    static CoveredNode of(String name, String sql, Reason... staysStock) {
        return new CoveredNode(name, sql, List.of(staysStock), "", "", List.of());
    }

    CoveredNode gains(String what) {
        return new CoveredNode(name, sql, staysStock, what, measured, tests);
    }

    CoveredNode measured(String ratios) {
        return new CoveredNode(name, sql, staysStock, gains, ratios, tests);
    }

    CoveredNode heldBy(String... classes) {
        return new CoveredNode(name, sql, staysStock, gains, measured, List.of(classes));
    }
}
