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
package io.stateaccel.tests.restore;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.tests.differential.Variant.Ending;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.StateChangelogOptions;

/** The dimensions of the matrix beside the queries. */
final class Settings {

    private Settings() {}

    /** What a job goes on from. */
    enum Snapshots implements Setting {
        FULL_CHECKPOINTS(Ending.CHECKPOINT, false, false),
        FULL_UNALIGNED_CHECKPOINTS(Ending.CHECKPOINT, false, true),
        INCREMENTAL_CHECKPOINTS(Ending.CHECKPOINT, true, false),
        INCREMENTAL_UNALIGNED_CHECKPOINTS(Ending.CHECKPOINT, true, true),
        CANONICAL_SAVEPOINTS(Ending.CANONICAL_SAVEPOINT, true, false),
        NATIVE_SAVEPOINTS(Ending.NATIVE_SAVEPOINT, true, false);

        private final Ending ending;
        private final boolean incremental;
        private final boolean unaligned;

        Snapshots(Ending ending, boolean incremental, boolean unaligned) {
            this.ending = ending;
            this.incremental = incremental;
            this.unaligned = unaligned;
        }

        Ending ending() {
            return ending;
        }

        boolean areUnaligned() {
            return unaligned;
        }

        @Override
        public Map<String, String> options() {
            return Map.of(
                    CheckpointingOptions.INCREMENTAL_CHECKPOINTS.key(),
                    String.valueOf(incremental),
                    CheckpointingOptions.ENABLE_UNALIGNED.key(),
                    String.valueOf(unaligned));
        }
    }

    /** Flink's changelog state backend around ours. */
    enum Changelog implements Setting {
        OFF,
        /** Materialised so often that some of a snapshot is, and some is not. */
        ON;

        @Override
        public Map<String, String> options() {
            return this == OFF
                    ? Map.of()
                    : Map.of(
                            StateChangelogOptions.ENABLE_STATE_CHANGE_LOG.key(),
                            "true",
                            StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL.key(),
                            "100 ms");
        }
    }

    /** The state cache in front of RocksDB. */
    enum Cache implements Setting {
        OFF("0"),
        /** Most of what is used is not there any more. */
        SMALL("64 kb"),
        LARGE("64 mb");

        private final String size;

        Cache(String size) {
            this.size = size;
        }

        @Override
        public Map<String, String> options() {
            return Map.of(StateAccelOptions.CACHE_SIZE.key(), size);
        }
    }

    /** Our native library, which filters and reads map state. */
    enum Native implements Setting {
        OFF,
        ON;

        @Override
        public Map<String, String> options() {
            return Map.of(StateAccelOptions.NATIVE_ENABLED.key(), String.valueOf(this == ON));
        }
    }
}
