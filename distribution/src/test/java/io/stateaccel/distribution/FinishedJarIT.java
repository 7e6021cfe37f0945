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
package io.stateaccel.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.planner.StateAccel;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.planner.loader.DelegatePlannerFactory;
import org.junit.jupiter.api.Test;

/** Runs with the finished jar before {@code flink-table-planner-loader}, as in Flink's lib. */
class FinishedJarIT {

    private static final String ENTRY_CLASS =
            "org/apache/flink/table/planner/loader/DelegatePlannerFactory.class";

    /** Ours too; its Javadoc says why it is in Flink's package. */
    private static final String ROCKSDB_ACCESS =
            "org/apache/flink/state/rocksdb/StateAccelRocksDBAccess.class";

    private static final String SERVICE_FILE =
            "META-INF/services/org.apache.flink.table.factories.Factory";

    private static final String QUERY =
            "SELECT A.id, COUNT(*) FROM A JOIN B ON A.id = B.id GROUP BY A.id";

    @Test
    void holdsOnlyOurClasses() throws Exception {
        assertThat(filesOf(jar()))
                .contains(ENTRY_CLASS, SERVICE_FILE)
                .allSatisfy(
                        file ->
                                assertThat(file)
                                        .satisfiesAnyOf(
                                                f -> assertThat(f).startsWith("io/stateaccel/"),
                                                f ->
                                                        assertThat(f)
                                                                .isIn(
                                                                        ENTRY_CLASS,
                                                                        ROCKSDB_ACCESS,
                                                                        SERVICE_FILE,
                                                                        "META-INF/MANIFEST.MF",
                                                                        "META-INF/LICENSE",
                                                                        "META-INF/NOTICE")));
    }

    @Test
    void holdsEveryModule() throws Exception {
        assertThat(filesOf(jar()))
                .contains(
                        "io/stateaccel/planner/StateAccel.class",
                        "io/stateaccel/operators/join/MiniBatchJoinOperator.class",
                        "io/stateaccel/config/StateAccelOptions.class",
                        "io/stateaccel/views/join/MergedViewKind.class");
    }

    /** What an older Java loads before it is told what it lacks. */
    @Test
    void isEnteredThroughClassesForJava8() throws Exception {
        for (String entry :
                List.of(
                        ENTRY_CLASS,
                        "io/stateaccel/flink/JavaRequirement.class",
                        "io/stateaccel/planner/entry/AcceleratingPlannerFactory.class",
                        "io/stateaccel/planner/entry/InstallationCheckFactory.class",
                        "io/stateaccel/rocksdb/StateAccelRocksDBStateBackendFactory.class",
                        "io/stateaccel/command/StateAccelCommand.class")) {
            assertThat(classFileVersionOf(entry)).as(entry).isEqualTo(52);
        }
        assertThat(classFileVersionOf("io/stateaccel/planner/StateAccel.class")).isEqualTo(61);
    }

    private static int classFileVersionOf(String name) throws Exception {
        try (JarFile file = new JarFile(jar().toFile());
                DataInputStream in =
                        new DataInputStream(file.getInputStream(file.getEntry(name)))) {
            // The magic number, and the minor version.
            in.skipNBytes(6);
            return in.readUnsignedShort();
        }
    }

    /** Known vulnerabilities are looked up by hand for these, so another one is a decision. */
    @Test
    void bundlesTheseLibrariesAndNoOthers() throws Exception {
        String shaded = "io/stateaccel/shaded/";

        assertThat(filesOf(jar()))
                .filteredOn(file -> file.startsWith(shaded))
                .extracting(file -> file.substring(shaded.length()).split("/")[0])
                .containsOnly("picocli", "gson", "hdrhistogram");
    }

    @Test
    void sortsBeforeThePlannerLoader() throws Exception {
        assertThat(jar().getFileName().toString()).isLessThan("flink-table-planner-loader");
    }

    @Test
    void entersThePlannerOfTheLoader() {
        final TableEnvironment tables = withTables();
        final String off = tables.explainSql(QUERY);

        tables.getConfig().set("table.exec.state-accel.enabled", "true");
        final String on = tables.explainSql(QUERY);
        tables.getConfig().set("table.exec.state-accel.enabled", "false");

        assertThat(off).contains(" Join(").contains("\nGroupAggregate(").doesNotContain("bundle=");
        assertThat(on).contains("\nMiniBatchJoinAggregate(join=[MiniBatchJoin(");
        assertThat(tables.explainSql(QUERY)).isEqualTo(off);
    }

    /** Through the registry of the planner in its own class loader. */
    @Test
    void compilesPlansOfOurNodesAndReadsThem() {
        final TableEnvironment compiler = withTables();
        compiler.getConfig().set("table.exec.state-accel.enabled", "true");
        final String plan = compiler.compilePlanSql("INSERT INTO counts " + QUERY).asJsonString();
        assertThat(plan).contains("\"type\" : \"state-accel-join-aggregate_1\"");

        final CompiledPlan read = withTables().loadPlan(PlanReference.fromJsonString(plan));
        assertThat(read.asJsonString()).isEqualTo(plan);
        assertThat(read.explain(ExplainDetail.JSON_EXECUTION_PLAN))
                .contains("MiniBatchJoinAggregate(join=[MiniBatchJoin(")
                .contains("\"MiniBatchJoinAggregate[");
    }

    private static TableEnvironment withTables() {
        final TableEnvironment tables =
                TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        for (String table : List.of("A", "B")) {
            tables.executeSql(
                    "CREATE TABLE " + table + " (id BIGINT) WITH ('connector'='datagen')");
        }
        tables.executeSql(
                "CREATE TABLE counts (id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH"
                        + " ('connector'='blackhole')");
        return tables;
    }

    @Test
    void aCallThatIsNotNeededWithTheLoaderSaysSo() {
        final TableEnvironment tables =
                TableEnvironment.create(EnvironmentSettings.inStreamingMode());

        assertThatThrownBy(() -> StateAccel.install(tables))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("flink-table-planner_2.12")
                .hasMessageContaining("no call is needed");
    }

    @Test
    void answersFlinkAsFlinksOwnFactoryDoes() {
        final PlannerFactory factory = new DelegatePlannerFactory();

        assertThat(factory.factoryIdentifier()).isEqualTo(PlannerFactory.DEFAULT_IDENTIFIER);
        assertThat(factory.requiredOptions()).isEmpty();
        assertThat(factory.optionalOptions()).isEmpty();
    }

    private static Path jar() throws URISyntaxException {
        return Path.of(
                DelegatePlannerFactory.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
    }

    private static List<String> filesOf(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .toList();
        }
    }
}
