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
package io.stateaccel.planner.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.entry.InstallationCheck.FoundPlanner;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class InstallationCheckTest {

    private static final String LOADER = "/flink/lib/flink-table-planner-loader-2.3.0.jar";

    @Test
    void aJarThatSortsAfterTheLoaderIsToBeRenamed() {
        final InstallationCheck check =
                new InstallationCheck("/flink/lib/state-accel.jar", FoundPlanner.STOCK, LOADER);

        assertThat(check.describe())
                .contains("/flink/lib/state-accel.jar")
                .contains(LOADER)
                .contains("rename the jar to flink-sql-state-accel-<version>.jar");
        assertThat(reported(check)).startsWith("WARN [state-accel] ");
    }

    @Test
    void aJarElsewhereIsToBePutIntoLib() {
        final InstallationCheck check =
                new InstallationCheck("/home/me/job.jar", FoundPlanner.STOCK, LOADER);

        assertThat(check.describe()).contains("Put the jar into Flink's lib folder");
        assertThat(reported(check)).startsWith("WARN [state-accel] ");
    }

    @Test
    void aMissingPlannerIsToBePutBack() {
        final InstallationCheck check =
                new InstallationCheck("/flink/lib/state-accel.jar", FoundPlanner.NONE, "");

        assertThat(check.describe()).contains("Put flink-table-planner-loader-<version>.jar back");
        assertThat(reported(check)).startsWith("WARN [state-accel] ");
    }

    @Test
    void anEmbeddedPlannerWantsACall() {
        // This module's tests run with one.
        final InstallationCheck check = InstallationCheck.of(InstallationCheck.class);

        assertThat(check.planner()).isEqualTo(FoundPlanner.EMBEDDED);
        assertThat(check.describe()).contains("StateAccel.install(tableEnvironment)");
        assertThat(reported(check)).startsWith("INFO [state-accel] ");
    }

    @Test
    void theFactoryNeverFails() {
        assertThat(new InstallationCheckFactory().requiredOptions()).isEmpty();
        assertThat(new InstallationCheckFactory().optionalOptions()).isEmpty();
    }

    private static String reported(InstallationCheck check) {
        try (CapturedLog log = new CapturedLog()) {
            check.report(LoggerFactory.getLogger(InstallationCheck.class));
            return String.join("\n", log.lines());
        }
    }
}
