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
package io.stateaccel.rocksdb.suite;

import io.stateaccel.config.StateAccelOptions;
import java.util.Map;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's own suite for state backends, with every value in a blob file. */
@ExtendWith(NoOpTestExtension.class)
class FlinkStateBackendSuiteBlobsTest extends FlinkStateBackendSuiteTest {

    @Override
    Map<String, String> options() {
        return Map.of(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "1b");
    }
}
