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
package io.stateaccel.tests.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Dependencies point down only, as the table of modules in the README says. */
class DependencyDirectionTest {

    private static final String[] STATE_VIEWS = {
        "io.stateaccel.config..", "io.stateaccel.metrics..", "io.stateaccel.views.."
    };

    /**
     * One class has to sit in the package of Flink's backend to reach what is package-private
     * there.
     */
    private static final String[] ROCKSDB_LAYER = {
        "io.stateaccel.rocksdb..", "org.apache.flink.state.rocksdb.."
    };

    private static final String[] RUNTIME_OPERATORS = {"io.stateaccel.operators.."};
    private static final String[] PLANNER_RULES = {"io.stateaccel.planner.."};
    private static final String[] STATE_ACCEL_COMMAND = {"io.stateaccel.command.."};
    private static final String[] NEXMARK_SQL = {"io.stateaccel.nexmark.."};
    private static final String BENCH = "io.stateaccel.nexmark.bench..";

    private static final String[] PLANNER = {
        "org.apache.flink.table.planner..", "org.apache.calcite..", "scala.."
    };
    private static final String[] ROCKSDB = {"org.rocksdb..", "org.apache.flink.state.rocksdb.."};

    private static final JavaClasses OURS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .withImportOption(
                            location ->
                                    location.contains("io/stateaccel/")
                                            || location.contains("/StateAccel"))
                    .importPackages("io.stateaccel", "org.apache.flink.state.rocksdb");

    @Test
    void modulesKnowOnlyTheModulesBelowThem() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("state-views")
                .definedBy(STATE_VIEWS)
                .layer("rocksdb-layer")
                .definedBy(ROCKSDB_LAYER)
                .layer("runtime-operators")
                .definedBy(RUNTIME_OPERATORS)
                .layer("planner-rules")
                .definedBy(PLANNER_RULES)
                .layer("state-accel-command")
                .definedBy(STATE_ACCEL_COMMAND)
                .layer("nexmark-sql")
                .definedBy(NEXMARK_SQL)
                .whereLayer("state-views")
                .mayNotAccessAnyLayer()
                .whereLayer("rocksdb-layer")
                .mayOnlyAccessLayers("state-views")
                .whereLayer("runtime-operators")
                .mayOnlyAccessLayers("state-views")
                .whereLayer("planner-rules")
                .mayOnlyAccessLayers("state-views", "rocksdb-layer", "runtime-operators")
                .whereLayer("state-accel-command")
                .mayOnlyAccessLayers("state-views", "rocksdb-layer")
                .whereLayer("state-accel-command")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("nexmark-sql")
                .mayNotBeAccessedByAnyLayer()
                .check(OURS);
    }

    /** Objects for hundreds of files, in the task thread or with the database locked. */
    @Test
    void rocksDBIsNotAskedForMetadataOfEveryFile() {
        noClasses()
                .should()
                .callMethodWhere(
                        target(owner(assignableTo("org.rocksdb.RocksDB")))
                                .and(
                                        target(
                                                nameMatching(
                                                        "getColumnFamilyMetaData|getLiveFiles.*"))))
                .because("properties have the sums that are needed")
                .check(OURS);
    }

    @Test
    void viewsAndOperatorsRunOnAnyBackendAndWithoutAPlanner() {
        for (String[] packages : new String[][] {STATE_VIEWS, RUNTIME_OPERATORS}) {
            noClasses()
                    .that()
                    .resideInAnyPackage(packages)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(concatenated(ROCKSDB, PLANNER))
                    .because("operators serve every state backend and are loaded without a planner")
                    .check(OURS);
        }
    }

    /** That module is above all others; its own test says what it knows of them. */
    @Test
    void onlyKafkaPipelinesKnowsKafka() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.kafka..", "io.stateaccel.pipelines..")
                .because("what runs without a broker is built and tested without one")
                .check(OURS);
    }

    @Test
    void theStateCacheKnowsNoDatabase() {
        noClasses()
                .that()
                .resideInAPackage("io.stateaccel.rocksdb.cache")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("org\\.rocksdb\\.(RocksDB|ColumnFamilyHandle|.*Options)")
                .because("it reads and writes by KeyValueStore")
                .check(OURS);
    }

    @Test
    void theBackendKnowsNoTable() {
        noClasses()
                .that()
                .resideInAnyPackage(ROCKSDB_LAYER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.flink.table..", "org.apache.calcite..")
                .because("DataStream jobs use the backend too")
                .check(OURS);
    }

    @Test
    void onlyTheBenchCommandWritesToTheConsole() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BENCH)
                .should(ACCESS_STANDARD_STREAMS)
                .because("users read our messages in Flink's log")
                .check(OURS);
    }

    @Test
    void nothingBreaksIntoPrivateMembers() {
        noClasses()
                .should()
                .callMethod(AccessibleObject.class, "setAccessible", boolean.class)
                .orShould()
                .callMethod(Field.class, "setAccessible", boolean.class)
                .orShould()
                .callMethod(Method.class, "setAccessible", boolean.class)
                .orShould()
                .callMethod(Constructor.class, "setAccessible", boolean.class)
                .because("private members of Flink change in patch releases")
                .check(OURS);
    }

    @Test
    void objectsAreDeserialisedByFlinkAlone() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.io.ObjectInputStream")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.apache.flink.util.InstantiationUtil")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("com.esotericsoftware.kryo..", "java.beans..", "javax.naming..")
                .because("bytes that name the class to make of them may come from anyone")
                .check(OURS);
    }

    @Test
    void classesInFlinksPackagesAreFewAndKnown() {
        assertThat(OURS.stream().map(JavaClass::getName))
                .filteredOn(name -> !name.startsWith("io.stateaccel."))
                .containsExactly("org.apache.flink.state.rocksdb.StateAccelRocksDBAccess");
    }

    private static String[] concatenated(String[] first, String[] second) {
        String[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }
}
