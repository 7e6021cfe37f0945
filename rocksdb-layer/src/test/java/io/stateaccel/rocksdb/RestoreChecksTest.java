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
package io.stateaccel.rocksdb;

import static io.stateaccel.rocksdb.testing.BackendHarness.Snapshot.INCREMENTAL_CHECKPOINT;
import static io.stateaccel.rocksdb.testing.BackendHarness.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.LogCollector;
import io.stateaccel.rocksdb.testing.SeparatedValues;
import io.stateaccel.views.layout.StateRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots that a check refuses although they hold everything, and the way past the check. */
class RestoreChecksTest extends SeparatedValues {

    private static final ConfigOption<Boolean> MANIFEST_CHECK =
            StateAccelOptions.RESTORE_MANIFEST_CHECK_ENABLED;
    private static final ConfigOption<Boolean> KEY_GROUP_CHECK =
            StateAccelOptions.RESTORE_KEY_GROUP_CHECK_ENABLED;

    /** How an option gets to the backend. */
    enum Route {
        CONFIG_FILE,

        /** The options of a session are given to the backend that the cluster's options made. */
        SET
    }

    @ParameterizedTest
    @EnumSource
    void aManifestThatIsNotAsItWasWrittenIsPassedOver(Route route) throws Exception {
        KeyedStateHandle part = withBytesBehindItsManifest(part(Map.of(), ALL_KEY_GROUPS));

        assertThatThrownBy(() -> open(backend(Map.of()), List.of(part)))
                .hasRootCauseMessage(
                        "The snapshot of 'operator' is damaged: "
                                + manifest(part).getLocalPath()
                                + " ("
                                + manifest(part).getHandle()
                                + ") is not what was written. Restore another checkpoint or"
                                + " savepoint. If it is known to be whole, restore it with '"
                                + MANIFEST_CHECK.key()
                                + "' set to 'false'.");
        assertIsRestored(route, MANIFEST_CHECK, ManifestCheck.class, List.of(part), "MANIFEST-");
    }

    @ParameterizedTest
    @EnumSource
    void keyGroupsInCommonArePassedOver(Route route) throws Exception {
        SharedStateRegistry files = new SharedStateRegistryImpl();
        AbstractKeyedStateBackend<Integer> backend = open(backend(Map.of()), List.of());
        List<KeyedStateHandle> parts;
        try {
            writeAll(backend);
            parts =
                    List.of(
                            take(INCREMENTAL_CHECKPOINT, 1, backend, files),
                            take(INCREMENTAL_CHECKPOINT, 2, backend, files));
        } finally {
            backend.dispose();
        }

        assertThatThrownBy(() -> open(backend(Map.of()), parts))
                .hasRootCauseInstanceOf(StateRefusedException.class)
                .hasRootCauseMessage(
                        "The snapshot of 'operator' has parts with key groups in common: "
                                + ALL_KEY_GROUPS
                                + " and "
                                + ALL_KEY_GROUPS
                                + ". It was taken on the changelog backend after a rescale and"
                                + " before the next materialisation. Restore it with the"
                                + " parallelism it was taken with, take a canonical savepoint, and"
                                + " rescale from that with 'state.changelog.enabled' set to"
                                + " 'false'. If these parts are known to hold the same, restore it"
                                + " with '"
                                + KEY_GROUP_CHECK.key()
                                + "' set to 'false'.");
        assertIsRestored(
                route, KEY_GROUP_CHECK, RestoredRanges.class, parts, ALL_KEY_GROUPS.toString());
    }

    private void assertIsRestored(
            Route route,
            ConfigOption<Boolean> check,
            Class<?> logging,
            List<KeyedStateHandle> parts,
            String found)
            throws Exception {
        try (LogCollector log = new LogCollector(logging.getName())) {
            AbstractKeyedStateBackend<Integer> restored = open(without(check, route), parts);
            try {
                assertContent(restored);
            } finally {
                restored.dispose();
            }
            assertThat(log.warnings()).hasSize(1);
            assertThat(log.warnings().get(0))
                    .startsWith("[state-accel] ")
                    .contains("'operator'", found, check.key());
        }
    }

    private StateBackend without(ConfigOption<Boolean> check, Route route) throws Exception {
        Configuration cluster = config(Map.of());
        cluster.set(
                StateBackendOptions.STATE_BACKEND,
                StateAccelRocksDBStateBackendFactory.class.getName());
        return switch (route) {
            case CONFIG_FILE -> {
                Path folder = Files.createDirectories(directory.resolve("conf"));
                Files.writeString(folder.resolve("config.yaml"), check.key() + ": false\n");
                cluster.addAll(GlobalConfiguration.loadConfiguration(folder.toString()));
                yield StateBackendLoader.loadStateBackendFromConfig(
                        cluster, getClass().getClassLoader(), null);
            }
            case SET -> {
                cluster.set(check, true);
                StateBackend ofCluster =
                        StateBackendLoader.loadStateBackendFromConfig(
                                cluster, getClass().getClassLoader(), null);
                Configuration session = Configuration.fromMap(Map.of(check.key(), "false"));
                yield ((StateAccelRocksDBStateBackend) ofCluster)
                        .configure(session, getClass().getClassLoader());
            }
        };
    }

    /** RocksDB takes them for a record that a crash has cut, rightly here. */
    private static KeyedStateHandle withBytesBehindItsManifest(KeyedStateHandle part)
            throws Exception {
        FileStateHandle file = (FileStateHandle) manifest(part).getHandle();
        Files.write(
                Path.of(file.getFilePath().getPath()),
                new byte[] {1, 2, 3},
                StandardOpenOption.APPEND);
        return part;
    }

    private static HandleAndLocalPath manifest(KeyedStateHandle part) {
        return ((IncrementalRemoteKeyedStateHandle) part)
                .getPrivateState().stream()
                        .filter(file -> file.getLocalPath().startsWith("MANIFEST-"))
                        .findFirst()
                        .orElseThrow();
    }
}
