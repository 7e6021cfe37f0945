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
package io.stateaccel.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.PlanReference;

/** What {@code COMPILE PLAN} makes of statements. */
public final class CompiledPlans {

    private static final Pattern TYPE = Pattern.compile("\"type\" : \"([a-z-]+_\\d+)\"");

    private CompiledPlans() {}

    /**
     * Compiles a statement, reads what came of it, which has to be the same again, and runs that.
     *
     * @return the text of the plan
     */
    public static String run(Session session, String insert) throws Exception {
        final String text = session.tables().compilePlanSql(insert).asJsonString();
        final CompiledPlan read = session.tables().loadPlan(PlanReference.fromJsonString(text));
        assertThat(read.asJsonString()).isEqualTo(text);
        read.execute().await(60, TimeUnit.SECONDS);
        return text;
    }

    /** A type without its version. */
    static String nameOf(String type) {
        return type.replaceFirst("_\\d+$", "");
    }

    /** The types of the nodes of a plan, as they come in its text. */
    public static List<String> types(String text) {
        return TYPE.matcher(text).results().map(found -> found.group(1)).toList();
    }
}
