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
package io.stateaccel.rocksdb.compaction;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has RocksDB gather the small files of frequent checkpoints before it merges them into the next
 * level.
 *
 * <p>Every checkpoint flushes the memtables, however little is in them, and from the fourth file on
 * RocksDB compacts level 0 together with all of the next level, which is level 1, or with dynamic
 * sizes the first that has files. With a checkpoint per second that is four seconds' worth of rows
 * against hundreds of MiB, again and again. (RocksDB's own merging of files within level 0 does not
 * come up in the logs of such jobs: Flink leaves it one thread for compactions, and that one is
 * busy.) Here the number of files that starts a compaction follows from their size: as many as make
 * half of the next level, but no less than RocksDB waits for and no more than the user lets it. So
 * a compaction writes three to five bytes for one that is new, as long as that many files suffice,
 * and level 0 adds at most about a half to what is stored. A read of a key that is absent asks the
 * filters of more files meanwhile.
 *
 * <p>Of lists in blob files that level has references only, but a compaction writes each list anew
 * that something was appended to, so more files mean fewer copies of it. There they are to make an
 * eighth of the blobs. Of other values in blob files compactions collect the garbage, which is not
 * to wait.
 *
 * <p>Writes are slowed down and stopped as many files above that number as in RocksDB's defaults.
 *
 * <p>Used by the task thread only.
 */
public final class SmallFiles {

    /** RocksDB's own, and the least that is used here. */
    public static final int STOCK_TRIGGER = 4;

    /** RocksDB's distance between its trigger of compactions and that of slower writes. */
    private static final int FILES_UNTIL_SLOWDOWN = 16;

    /** RocksDB's distance between its trigger of compactions and the end of writes. */
    private static final int FILES_UNTIL_STOP = 32;

    /** The number of files changes in steps: each change has RocksDB write its options. */
    private static final int STEP = 4;

    private static final int PART_OF_NEXT_LEVEL = 2;

    /** What is appended is not in the blobs before a compaction, and is garbage there after it. */
    private static final int PART_OF_BLOBS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(SmallFiles.class);

    private final RocksDB db;
    private final int mostFiles;
    private final Predicate<String> isLeftAlone;
    private final Map<String, Seen> states = new HashMap<>();

    /**
     * @param mostFiles that level 0 may have before a compaction, at least {@link #STOCK_TRIGGER}
     * @param isLeftAlone states, by name, for which RocksDB is to wait as it does by itself
     */
    public SmallFiles(RocksDB db, int mostFiles, Predicate<String> isLeftAlone) {
        this.db = db;
        this.mostFiles = mostFiles;
        this.isLeftAlone = isLeftAlone;
    }

    /**
     * Looks at the levels of each state that has changed and tells RocksDB how many to wait for; to
     * be called before each checkpoint. An error leaves things as they are, with a line in the log:
     * it costs work, not state.
     *
     * @param all states by name
     */
    public void gather(Map<String, RocksDbKvStateInfo> all) {
        all.forEach(
                (name, state) -> {
                    if (!isLeftAlone.test(name)) {
                        try {
                            gather(name, state.columnFamilyHandle);
                        } catch (RocksDBException e) {
                            LOG.warn(
                                    "[state-accel] state '{}': cannot change how many files of"
                                            + " level 0 start a compaction",
                                    name,
                                    e);
                        }
                    }
                });
    }

    private void gather(String name, ColumnFamilyHandle columnFamily) throws RocksDBException {
        // What the checkpoint flushes comes on top. With fewer there is nothing to hold back.
        int files = Integer.parseInt(db.getProperty(columnFamily, "rocksdb.num-files-at-level0"));
        if (files + 1 < STOCK_TRIGGER) {
            return;
        }
        Seen seen = states.getOrDefault(name, Seen.NOTHING);
        long bytes = db.getLongProperty(columnFamily, "rocksdb.live-sst-files-size");
        if (files == seen.files && bytes == seen.bytes) {
            return;
        }
        // Sums that RocksDB has of each level, where metadata is an object for each file.
        Map<String, String> levels = db.getMapProperty(columnFamily, "rocksdb.cfstats");
        int next = Integer.parseInt(db.getProperty(columnFamily, "rocksdb.base-level"));
        long bytesOfNext = bytesOfLevel(next, levels);
        long wanted = bytesOfNext / PART_OF_NEXT_LEVEL;
        long blobBytes = db.getLongProperty(columnFamily, "rocksdb.live-blob-file-size");
        if (blobBytes > 0) {
            wanted = (bytesOfNext + blobBytes) / PART_OF_BLOBS;
        }
        int trigger = trigger(seen.trigger, bytesOfLevel(0, levels) / files, wanted, mostFiles);
        if (trigger != seen.trigger) {
            db.setOptions(
                    columnFamily,
                    MutableColumnFamilyOptions.builder()
                            .setLevel0FileNumCompactionTrigger(trigger)
                            .setLevel0SlowdownWritesTrigger(trigger + FILES_UNTIL_SLOWDOWN)
                            .setLevel0StopWritesTrigger(trigger + FILES_UNTIL_STOP)
                            .build());
        }
        states.put(name, new Seen(files, bytes, trigger));
    }

    /** RocksDB leaves out levels that it has not. */
    private static long bytesOfLevel(int level, Map<String, String> levels) {
        return (long)
                Double.parseDouble(levels.getOrDefault("compaction.L" + level + ".SizeBytes", "0"));
    }

    /**
     * How many files of level 0 start a compaction. Fewer than before only where that is half a
     * step away, so that sizes which go up and down a little do not change it each time.
     *
     * @param before how many it is now
     * @param fileBytes of a file of level 0, on average
     * @param wantedBytes that a compaction should merge at once
     * @param mostFiles the result at most
     */
    static int trigger(int before, long fileBytes, long wantedBytes, int mostFiles) {
        long wanted = wantedBytes / Math.max(1, fileBytes);
        int atLeast = inSteps(wanted, mostFiles);
        int atMost = inSteps(wanted + STEP / 2, mostFiles);
        return Math.max(atLeast, Math.min(before, atMost));
    }

    private static int inSteps(long files, int mostFiles) {
        return (int) Math.max(STOCK_TRIGGER, Math.min(mostFiles, files / STEP * STEP));
    }

    /**
     * A state when it was last looked at.
     *
     * @param files of level 0
     * @param bytes of all levels
     * @param trigger what RocksDB was told, or does by itself
     */
    private record Seen(int files, long bytes, int trigger) {
        static final Seen NOTHING = new Seen(0, 0, STOCK_TRIGGER);
    }
}
