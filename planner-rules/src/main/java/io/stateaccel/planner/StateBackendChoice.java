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

import io.stateaccel.config.StateAccelOptions;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.table.api.TableConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts accelerated jobs on the accelerated RocksDB backend, and puts back what was there when the
 * session turns acceleration off.
 *
 * <p>It writes {@link StateBackendOptions#STATE_BACKEND} into the session's own configuration,
 * which Flink's {@code DefaultExecutor} hands to every job. Backends other than RocksDB, and a
 * backend that only the cluster knows of, are left alone.
 */
final class StateBackendChoice {

    /** The factory of the accelerated backend, as {@code state.backend.type} names it. */
    static final String ACCELERATED_FACTORY =
            "io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory";

    private static final Logger LOG = LoggerFactory.getLogger(StateBackendChoice.class);

    private static final String KEY = StateBackendOptions.STATE_BACKEND.key();

    private static final Set<String> STOCK_ROCKSDB =
            Set.of("rocksdb", "org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackendFactory");

    private final TableConfig tableConfig;

    /** Whether {@link #KEY} holds our factory because we put it there. */
    private boolean chosen;

    /** What {@link #KEY} itself held before, null when the session had not set it. */
    @Nullable private String ownBefore;

    /** The backend that jobs would have had. */
    private String effectiveBefore = "";

    StateBackendChoice(TableConfig tableConfig) {
        this.tableConfig = tableConfig;
    }

    /** Called when a statement is planned with acceleration on. */
    void choose() {
        if (!tableConfig.get(StateAccelOptions.ROCKSDB_ENABLED)) {
            revert();
            return;
        }
        final String effective = tableConfig.get(StateBackendOptions.STATE_BACKEND);
        if (!isStockRocksDb(effective)) {
            return;
        }
        ownBefore = ownValue();
        effectiveBefore = effective;
        tableConfig.set(KEY, ACCELERATED_FACTORY);
        chosen = true;
        LOG.info(
                "[state-accel] State backend: {} instead of '{}'. '{}' = 'false' keeps the latter.",
                ACCELERATED_FACTORY,
                effective,
                StateAccelOptions.ROCKSDB_ENABLED.key());
    }

    /** Called when a statement is planned with acceleration off. */
    void revert() {
        if (!chosen) {
            return;
        }
        chosen = false;
        if (!ACCELERATED_FACTORY.equals(ownValue())) {
            // The user has chosen a backend since: that choice stands.
            return;
        }
        final Configuration own = tableConfig.getConfiguration();
        own.removeKey(KEY);
        if (ownBefore != null) {
            own.setString(KEY, ownBefore);
        }
        if (ACCELERATED_FACTORY.equals(tableConfig.get(StateBackendOptions.STATE_BACKEND))) {
            // Executing a statement copies the session's configuration into the environment's,
            // from where the key would shine through now.
            own.setString(KEY, effectiveBefore);
        }
        LOG.info(
                "[state-accel] State backend: '{}' again.",
                tableConfig.get(StateBackendOptions.STATE_BACKEND));
    }

    @Nullable
    private String ownValue() {
        return tableConfig.getConfiguration().toMap().get(KEY);
    }

    private static boolean isStockRocksDb(String backend) {
        return STOCK_ROCKSDB.stream().anyMatch(backend::equalsIgnoreCase);
    }
}
