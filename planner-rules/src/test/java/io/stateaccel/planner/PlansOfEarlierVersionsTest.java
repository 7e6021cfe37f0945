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

import io.stateaccel.flink.FlinkLine;
import io.stateaccel.flink.testing.Lines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.PlanReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans that earlier builds have compiled, in {@code src/test/resources/plans}, one folder for each
 * build that has changed what is in them: this build reads them, and makes operators of them that
 * go on from their snapshots. Beside each plan is what those are known by.
 *
 * <p>Whoever changes what is in a plan writes those of the next release, and keeps those that are
 * there: {@code -Dtest=PlansOfEarlierVersionsTest -Dstateaccel.write-plans=0.3.0}.
 */
class PlansOfEarlierVersionsTest {

    private static final Path PLANS = Path.of("src", "test", "resources", "plans");

    /** What the plans of this build are to be written as, for instance {@code 0.3.0}. */
    private static final String NAME_TO_WRITE = System.getProperty("stateaccel.write-plans");

    private static final String IDS = ".txt";
    private static final String PLAN = ".json";

    static Stream<Arguments> plans() throws Exception {
        if (NAME_TO_WRITE != null) {
            write(PLANS.resolve(NAME_TO_WRITE).resolve(FlinkLine.NAME));
        }
        final List<Arguments> plans = new ArrayList<>();
        for (Path build : builds()) {
            for (CompiledStatement statement : CompiledStatement.values()) {
                // Of statements that have come later there is none.
                if (Files.exists(build.resolve(statement.name() + PLAN))) {
                    plans.add(Arguments.of(build, statement));
                }
            }
        }
        return plans.stream();
    }

    @ParameterizedTest
    @MethodSource("plans")
    void isRead(Path build, CompiledStatement statement) throws Exception {
        final Session session = statement.in(Session.installed());
        final String text = Files.readString(build.resolve(statement.name() + PLAN));

        final CompiledPlan plan = session.tables().loadPlan(PlanReference.fromJsonString(text));
        if (build.endsWith(FlinkLine.NAME)) {
            // Another line may write its own nodes in another way.
            assertThat(plan.asJsonString()).isEqualTo(text.strip());
        }
        // Versions of nodes are those of the line.
        assertThat(CompiledPlans.types(text).stream().map(CompiledPlans::nameOf))
                .containsAll(statement.nodes().stream().map(CompiledPlans::nameOf).toList());
        assertThat(TranslatedOperators.idsOf(session, text))
                .isEqualTo(Files.readAllLines(build.resolve(statement.name() + IDS)));
    }

    /** Whoever adds a statement writes its plan. */
    @Test
    void thereIsAPlanOfEachStatement() throws IOException {
        Lines.assumeAtLeast("2.3", "The newest line that plans are kept of");
        for (CompiledStatement statement : CompiledStatement.values()) {
            assertThat(builds())
                    .anyMatch(build -> Files.exists(build.resolve(statement.name() + PLAN)));
        }
    }

    /** One folder per build and Flink line, of those that are not newer than this one. */
    private static List<Path> builds() throws IOException {
        try (Stream<Path> folders = Files.walk(PLANS, 2)) {
            return folders.filter(folder -> PLANS.relativize(folder).getNameCount() == 2)
                    .filter(folder -> Lines.isAtLeast(folder.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    private static void write(Path folder) throws Exception {
        Files.createDirectories(folder);
        for (CompiledStatement statement : CompiledStatement.values()) {
            final Session session = statement.session();
            final String text = session.tables().compilePlanSql(statement.insert()).asJsonString();
            Files.writeString(folder.resolve(statement.name() + PLAN), text + "\n");
            Files.write(
                    folder.resolve(statement.name() + IDS),
                    TranslatedOperators.idsOf(session, text));
        }
    }
}
