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
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JavaRequirementTest {

    @ParameterizedTest
    @CsvSource({"1.8, false", "9, false", "11, false", "16, false", "17, true", "21, true"})
    void isMetFromSeventeenOn(String specification, boolean expected) {
        assertThat(JavaRequirement.isMet(specification)).isEqualTo(expected);
    }

    @Test
    void namesWhatIsThereAndWhatToDo() {
        assertThat(JavaRequirement.describe("11.0.13", "/opt/java"))
                .doesNotContain("\n")
                .contains(
                        "needs Java 17 or newer", "Java 11.0.13 in /opt/java", "JAVA_HOME", "lib");
    }

    @Test
    void isMetHere() {
        assertThatCode(JavaRequirement::check).doesNotThrowAnyException();
    }
}
