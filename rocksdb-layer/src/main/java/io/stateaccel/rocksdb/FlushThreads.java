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

import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.Priority;

/**
 * RocksDB's threads that write memtables to files. All databases of a process share them, and with
 * Flink's settings there is one: the sub-tasks of a task manager, whose checkpoints begin at the
 * same time, wait for each other's flushes in the part of the checkpoint that holds up rows.
 */
final class FlushThreads {

    private FlushThreads() {}

    /** Sees to it that there is one per core at least. */
    static void haveOnePerCore() {
        Env.getDefault().incBackgroundThreadsIfNeeded(perDatabase(), Priority.HIGH);
    }

    /**
     * Lets a database use as many at a time, where RocksDB has a quarter of its jobs: one, with
     * Flink's settings. Compactions are left as many jobs as before.
     */
    static void applyTo(DBOptions options) {
        int jobs = options.maxBackgroundJobs();
        int flushes = Math.max(1, jobs / 4);
        options.setMaxBackgroundFlushes(Math.max(perDatabase(), flushes))
                .setMaxBackgroundCompactions(Math.max(1, jobs - flushes));
    }

    /** Writing to the disk is waited for as well, so one core has something to do for two. */
    private static int perDatabase() {
        return Math.max(2, Runtime.getRuntime().availableProcessors());
    }
}
