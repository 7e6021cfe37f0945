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

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateBackendChoiceTest {

    private static final String ENABLED = "table.exec.state-accel.enabled";
    private static final String KEY = "state.backend.type";
    private static final String QUERY = "SELECT id, COUNT(*) FROM A GROUP BY id";
    private static final String STATELESS = "SELECT v + 1 FROM A";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rocksdb",
                "RocksDB",
                "org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackendFactory"
            })
    void replacesRocksDb(String backend) {
        final Session session = Session.accelerated().set(KEY, backend);

        session.explain(QUERY);

        assertThat(effective(session)).isEqualTo(StateBackendChoice.ACCELERATED_FACTORY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "forst", "com.acme.Factory"})
    void leavesOtherBackendsAlone(String backend) {
        final Session session = Session.accelerated().set(KEY, backend);

        session.explain(QUERY);

        assertThat(effective(session)).isEqualTo(backend);
    }

    @Test
    void leavesFlinksDefaultAlone() {
        final Session session = Session.accelerated();

        session.explain(QUERY);

        assertThat(session.tables().getConfig().getConfiguration().toMap()).doesNotContainKey(KEY);
    }

    @Test
    void replacesTheClustersRocksDbAndPutsItBack() {
        final Session session = Session.installed(rocksDbOfTheCluster());
        session.set(ENABLED, "true").explain(QUERY);
        assertThat(effective(session)).isEqualTo(StateBackendChoice.ACCELERATED_FACTORY);

        session.set(ENABLED, "false").explain(QUERY);

        assertThat(effective(session)).isEqualTo("rocksdb");
    }

    @Test
    void putsBackAlsoAfterAJobCopiedTheSettingIntoTheEnvironment() {
        final Session session = Session.installed(rocksDbOfTheCluster());
        session.set(ENABLED, "true");
        session.tables().toDataStream(session.tables().sqlQuery(STATELESS)).print();
        assertThat(session.environment().getConfiguration().get(StateBackendOptions.STATE_BACKEND))
                .isEqualTo(StateBackendChoice.ACCELERATED_FACTORY);

        session.set(ENABLED, "false");
        session.tables().toDataStream(session.tables().sqlQuery(STATELESS)).print();

        assertThat(session.environment().getConfiguration().get(StateBackendOptions.STATE_BACKEND))
                .isEqualTo("rocksdb");
        assertThat(session.set(ENABLED, "true").explain(QUERY)).contains("CachedGroupAggregate(");
        assertThat(effective(session)).isEqualTo(StateBackendChoice.ACCELERATED_FACTORY);
    }

    @Test
    void putsBackWhatTheSessionHadSet() {
        final Session session = Session.accelerated().set(KEY, "RocksDB");
        session.explain(QUERY);

        session.set(ENABLED, "false").explain(QUERY);

        assertThat(effective(session)).isEqualTo("RocksDB");
    }

    @Test
    void doesNotUndoAChoiceTheUserMadeSince() {
        final Session session = Session.accelerated().set(KEY, "rocksdb");
        session.explain(QUERY);

        session.set(KEY, "hashmap").set(ENABLED, "false").explain(QUERY);

        assertThat(effective(session)).isEqualTo("hashmap");
    }

    @Test
    void canBeOptedOutOf() {
        final Session session = Session.accelerated().set(KEY, "rocksdb");
        session.explain(QUERY);
        assertThat(effective(session)).isEqualTo(StateBackendChoice.ACCELERATED_FACTORY);

        session.set("table.exec.state-accel.rocksdb.enabled", "false");

        assertThat(session.explain(QUERY)).contains("CachedGroupAggregate(");
        assertThat(effective(session)).isEqualTo("rocksdb");
    }

    @Test
    void offLeavesTheSettingAlone() {
        final Session session = Session.installed().set(KEY, "rocksdb");

        session.explain(QUERY);

        assertThat(effective(session)).isEqualTo("rocksdb");
    }

    @Test
    void theUserIsToldOnce() {
        final Session session = Session.accelerated().set(KEY, "rocksdb");
        try (CapturedLog log = new CapturedLog()) {
            session.explain(QUERY);
            session.explain(QUERY);
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("INFO [state-accel] State backend: "))
                    .hasSize(1);
        }
    }

    private static Configuration rocksDbOfTheCluster() {
        return new Configuration().set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    }

    private static String effective(Session session) {
        return session.tables().getConfig().get(StateBackendOptions.STATE_BACKEND);
    }
}
