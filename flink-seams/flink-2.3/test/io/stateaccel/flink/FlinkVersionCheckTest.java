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
package io.stateaccel.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkVersionCheckTest {

    private static final String JAR = "/opt/flink/lib/flink-sql-state-accel-0.1.0.jar";

    @Test
    void theFlinkOfThisBuildIsSupported() {
        assertThat(FlinkVersionCheck.describeMismatch()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".0", ".9", ".1-vendor-7", "-SNAPSHOT"})
    void theReleaseLineIsSupported(String patch) {
        assertThat(FlinkVersionCheck.describeMismatch(FlinkLine.NAME + patch, JAR)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1.20.1, 1.20",
        "2.0.0, 2.0",
        "2.1, 2.1",
        "2.2-SNAPSHOT, 2.2",
        "2.3.1-vendor-7, 2.3",
    })
    void ofAnotherLineTheJarToTakeIsNamed(String version, String line) {
        assumeThat(line).isNotEqualTo(FlinkLine.NAME);
        assertThat(FlinkVersionCheck.describeMismatch(version, JAR))
                .get()
                .asString()
                .contains(JAR + " was built for Flink " + FlinkLine.NAME + ".x")
                .contains("this is Flink " + version + ".")
                .endsWith("Replace it by flink-sql-state-accel-" + line + "-<version>.jar.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.19.3", "2.4-SNAPSHOT", "2.30.0", "1.2"})
    void aLineThatThereIsNoJarForIsNamed(String version) {
        assertThat(FlinkVersionCheck.describeMismatch(version, JAR))
                .get()
                .asString()
                .contains("this is Flink " + version + ". Remove it");
    }
}
