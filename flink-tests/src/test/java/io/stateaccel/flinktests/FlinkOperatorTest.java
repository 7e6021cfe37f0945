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
package io.stateaccel.flinktests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stateaccel.flinktests.Mode.Backend;
import io.stateaccel.flinktests.Mode.Bundles;
import io.stateaccel.flinktests.standin.Backends;
import io.stateaccel.flinktests.standin.BundledMaterializer;
import io.stateaccel.flinktests.standin.HeapConflictMaterializer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Flink's own tests of its upsert materializers, which make the operators themselves, on ours.
 * Those that cannot hold are in {@code differences.txt}, as for {@link FlinkSqlTest}.
 */
class FlinkOperatorTest {

    private static final ListedDifferences LISTED = ListedDifferences.read();

    static Stream<Arguments> testsAndOperators() {
        return Stream.of(
                arguments("SinkUpsertMaterializerTest", BundledMaterializer.class),
                arguments("SinkUpsertMaterializerRescalingTest", BundledMaterializer.class),
                arguments("SinkUpsertMaterializerMigrationTest", BundledMaterializer.class),
                arguments(
                        "WatermarkCompactingSinkMaterializerTest", HeapConflictMaterializer.class));
    }

    @ParameterizedTest
    @MethodSource("testsAndOperators")
    void holdsAsListed(String name, Class<?> ours) throws Exception {
        final StandInLoader loader = new StandInLoader();
        try (StatesOfOurBackend states = new StatesOfOurBackend()) {
            final FlinkTestRun run =
                    FlinkTestRun.of(
                            loader.load(name),
                            new Mode(Bundles.OF_ONE_ROW, Backend.HEAP),
                            method -> true);
            System.out.println(
                    "Flink's tests of operators, "
                            + name
                            + " on "
                            + ours.getSimpleName()
                            + ": "
                            + run.describe()
                            + ", states on our backend "
                            + states.count());
            // Each has both backends among its parameters.
            final Mode mode = new Mode(Bundles.OF_ONE_ROW, Backend.ROCKSDB);
            assertThat(LISTED.contradictions(mode, name, method -> true, run.outcomes())).isEmpty();
            assertThat(run.outcomes()).isNotEmpty();
            assertThat(loader.used()).contains(ours, Backends.class);
            assertThat(states.count()).isPositive();
        }
    }
}
