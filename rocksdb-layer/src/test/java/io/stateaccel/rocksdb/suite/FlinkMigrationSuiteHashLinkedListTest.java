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

import io.stateaccel.config.KindOverrides.Memtable;
import io.stateaccel.rocksdb.testing.BackendHarness;
import java.util.Map;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Flink's own suite for the migration of state to a new serializer, with hash tables of linked
 * lists as memtables.
 */
@ExtendWith(ParameterizedTestExtension.class)
class FlinkMigrationSuiteHashLinkedListTest extends FlinkMigrationSuiteTest {

    FlinkMigrationSuiteHashLinkedListTest(boolean incremental) {
        super(incremental);
    }

    @Override
    Map<String, String> options() {
        return BackendHarness.memtableOptions(Memtable.HASH_LINKED_LIST);
    }
}
