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
package io.stateaccel.rocksdb.blob;

import io.stateaccel.rocksdb.flink.NewerOptions;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the garbage in blob files bounded without moving more values than that takes.
 *
 * <p>RocksDB collects garbage while it compacts: the values that it meets in the oldest blob files,
 * a share of all of them by number, are written to new files, however little garbage there is among
 * them. Every checkpoint flushes, every fourth flush starts a compaction, and with the keys alone
 * in the LSM tree that compaction meets most of the state. So a fixed share of the files is a fixed
 * share of the state, rewritten and uploaded every few checkpoints. Here the share follows from how
 * much garbage there is: none below {@value #TOLERATED_GARBAGE} of all bytes, all of them from
 * {@value #MOST_GARBAGE} on.
 *
 * <p>Used by the task thread only.
 */
public final class BlobGarbage {

    /** Below this share of the blob files' bytes garbage is left where it is. */
    private static final double TOLERATED_GARBAGE = 0.1;

    /** From this share on every compaction rewrites all that it meets. */
    private static final double MOST_GARBAGE = 0.3;

    /** The share of files changes in steps: each change has RocksDB write its options. */
    private static final int STEPS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(BlobGarbage.class);

    private final RocksDB db;
    private final ValueSeparation separation;

    /** Where RocksDB was told another one than its options have. */
    private final Map<String, Double> ageCutoffs = new HashMap<>();

    public BlobGarbage(RocksDB db, ValueSeparation separation) {
        this.db = db;
        this.separation = separation;
    }

    /**
     * Looks at the garbage of each state that may have separated values, and tells RocksDB how much
     * of the blob files compactions are to rewrite from now on. An error of RocksDB leaves things
     * as they are, with a line in the log: it costs space, not state.
     *
     * @param states by name
     */
    public void bound(Map<String, RocksDbKvStateInfo> states) {
        states.forEach(
                (name, state) -> {
                    if (separation.isForcedFor(name) || separation.isAutomaticFor(name)) {
                        try {
                            bound(name, state.columnFamilyHandle);
                        } catch (RocksDBException e) {
                            LOG.warn(
                                    "[state-accel] state '{}': cannot bound the garbage in its blob"
                                            + " files",
                                    name,
                                    e);
                        }
                    }
                });
    }

    private void bound(String name, ColumnFamilyHandle columnFamily) throws RocksDBException {
        long bytes = db.getLongProperty(columnFamily, "rocksdb.live-blob-file-size");
        if (bytes == 0) {
            return;
        }
        double before = ageCutoffs.getOrDefault(name, separation.initialAgeCutoff(name));
        double cutoff =
                ageCutoff(
                        before,
                        db.getLongProperty(columnFamily, "rocksdb.live-blob-file-garbage-size"),
                        bytes);
        if (cutoff != before) {
            db.setOptions(columnFamily, NewerOptions.blobGarbage(cutoff));
            ageCutoffs.put(name, cutoff);
        }
    }

    /**
     * The share of blob files, the oldest ones, whose values compactions rewrite. Less than before
     * only where that is half a step away, so that garbage which goes up and down a little does not
     * change it each time.
     *
     * @param before the share now
     * @param garbageBytes of {@code totalBytes}, in all blob files of a column family
     */
    static double ageCutoff(double before, long garbageBytes, long totalBytes) {
        double garbage = (double) garbageBytes / totalBytes;
        double steps = (garbage - TOLERATED_GARBAGE) / (MOST_GARBAGE - TOLERATED_GARBAGE) * STEPS;
        return Math.max(share(steps), Math.min(before, share(steps + 0.5)));
    }

    private static double share(double steps) {
        return Math.max(0, Math.min(1, Math.ceil(steps) / STEPS));
    }
}
