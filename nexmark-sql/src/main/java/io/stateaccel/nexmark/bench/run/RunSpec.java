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
package io.stateaccel.nexmark.bench.run;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One run of one query in one variant, complete: it travels to another JVM as JSON.
 *
 * @param query name of the query
 * @param variant name of the variant
 * @param events number of events
 * @param parallelism sub-tasks per operator, and slots of the one task manager
 * @param capSeconds how long the job may take
 * @param settings Flink configuration of cluster and job
 * @param load how rows come and go if it is a {@link
 *     io.stateaccel.nexmark.bench.queries.LatencyQuery}; else null
 * @param script the statements of a query that does not have them itself, as tables are elsewhere
 *     in each run; else null
 */
public record RunSpec(
        String query,
        String variant,
        long events,
        int parallelism,
        long capSeconds,
        Map<String, String> settings,
        Load load,
        String script) {

    /** This run with further settings, over which its own win. */
    RunSpec over(Map<String, String> further) {
        Map<String, String> all = new LinkedHashMap<>(further);
        all.putAll(settings);
        return new RunSpec(query, variant, events, parallelism, capSeconds, all, load, script);
    }

    /** This run of a script. */
    RunSpec with(String statements) {
        return new RunSpec(
                query, variant, events, parallelism, capSeconds, settings, load, statements);
    }
}
