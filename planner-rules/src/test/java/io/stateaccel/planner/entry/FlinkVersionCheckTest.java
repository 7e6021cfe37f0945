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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkVersionCheckTest {

    private static final String JAR = "/opt/flink/lib/flink-sql-state-accel-0.1.0.jar";

    @Test
    void theFlinkOfThisBuildIsSupported() {
        assertThat(FlinkVersionCheck.describeMismatch()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.3", "2.3.0", "2.3.9", "2.3.1-vendor-7", "2.3-SNAPSHOT"})
    void theReleaseLineIsSupported(String version) {
        assertThat(FlinkVersionCheck.describeMismatch(version, JAR)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.2.0", "2.4.0", "1.20.1", "2.30.0", "2.4-SNAPSHOT"})
    void anyOtherIsNamedWithTheJarAndTheFix(String version) {
        assertThat(FlinkVersionCheck.describeMismatch(version, JAR))
                .get()
                .asString()
                .contains(JAR)
                .contains("built for Flink 2.3.x")
                .contains("this is Flink " + version)
                .contains("Remove the jar, or replace it");
    }
}
