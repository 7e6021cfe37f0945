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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.StateAccel;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import java.util.Locale;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.table.api.TableConfig;

/**
 * How the plans of a run are made.
 *
 * @param bundles which bundles accelerated operators have, or that there are none
 * @param backend the state backend of jobs that choose none
 */
public record Mode(Bundles bundles, Backend backend) {

    enum Bundles {
        /** A bundle per row: what is emitted has to be what Flink emits, change by change. */
        OF_ONE_ROW("bundles of one row"),
        /** As the user gets them: the tables that come out have to be Flink's. */
        DEFAULT("default bundles"),
        /** Not accelerated at all: what fails here fails with Flink itself. */
        STOCK("stock");

        private final String words;

        Bundles(String words) {
            this.words = words;
        }
    }

    enum Backend {
        HEAP("hashmap"),
        ROCKSDB("rocksdb");

        private final String type;

        Backend(String type) {
            this.type = type;
        }
    }

    private static volatile Mode current = new Mode(Bundles.STOCK, Backend.HEAP);

    /** The mode that planners are made in from now on. */
    public static Mode current() {
        return current;
    }

    static void set(Mode mode) {
        current = mode;
    }

    /** Called with the configuration that a streaming planner is about to be created with. */
    public void apply(TableConfig config) {
        if (config.getOptional(StateBackendOptions.STATE_BACKEND).isEmpty()) {
            config.set(StateBackendOptions.STATE_BACKEND, backend.type);
        }
        if (bundles == Bundles.STOCK) {
            return;
        }
        StateAccel.install(config);
        config.set(StateAccelOptions.ENABLED, true);
        if (bundles == Bundles.OF_ONE_ROW) {
            config.set(StateAccelOptions.MINI_BATCH_SIZE, 1);
        }
    }

    /** Our RocksDB backend in place of Flink's, as the acceleration chooses it. */
    void chooseBackend(TableConfig config) {
        if (bundles != Bundles.STOCK
                && Backend.ROCKSDB.type.equals(config.get(StateBackendOptions.STATE_BACKEND))) {
            config.set(
                    StateBackendOptions.STATE_BACKEND,
                    StateAccelRocksDBStateBackendFactory.class.getName());
        }
    }

    @Override
    public String toString() {
        return bundles.words + ", " + backend.name().toLowerCase(Locale.ROOT);
    }
}
