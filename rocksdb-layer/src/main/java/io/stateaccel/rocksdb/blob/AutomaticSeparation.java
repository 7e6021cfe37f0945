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
import io.stateaccel.rocksdb.metrics.BackendMetrics;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the states of one backend begin and end to keep long values in blob files while the job runs,
 * each by the lengths of its own values ({@link SeparationDecision}).
 *
 * <p>A switch changes what flushes and compactions write from then on. What is there stays where it
 * is until it is replaced, or a compaction comes by, and is read from either place; {@link
 * BlobGarbage} sees to the files that are left. RocksDB has all other options of blob files from
 * the beginning ({@link ValueSeparation#applyTo}).
 *
 * <p>Used by the task thread only.
 */
public final class AutomaticSeparation {

    private static final Logger LOG = LoggerFactory.getLogger(AutomaticSeparation.class);

    private final RocksDB db;
    private final ValueSeparation separation;
    private final BackendMetrics metrics;
    private final Map<String, DecidingState> states = new LinkedHashMap<>();

    /**
     * @param metrics of the backend of {@code db}
     */
    public AutomaticSeparation(RocksDB db, ValueSeparation separation, BackendMetrics metrics) {
        this.db = db;
        this.separation = separation;
        this.metrics = metrics;
    }

    /**
     * Has a state decide, if it is to, from now on. One that was restored with separated values
     * goes on separating, if that is a fair share of what it has.
     *
     * @param state shown in the metrics
     * @param columnFamily that of the state now
     * @param isWatched whether the lengths of its values are counted
     */
    public void add(String state, ColumnFamilyHandle columnFamily, boolean isWatched) {
        if (!separation.isAutomaticFor(state)) {
            return;
        }
        DecidingState known = states.get(state);
        if (known != null) {
            known.columnFamily = columnFamily;
        } else if (isWatched) {
            boolean goesOn = separatedShare(state, columnFamily) >= SeparationDecision.END_SHARE;
            DecidingState added =
                    new DecidingState(
                            columnFamily,
                            new SeparationDecision(metrics.access(state).lengths(), goesOn));
            states.put(state, added);
            if (goesOn && change(state, added, true)) {
                LOG.info(
                        "[state-accel] state '{}': was restored with values in blob files: those of"
                                + " at least {} bytes are kept there still",
                        state,
                        SeparationDecision.LONG_BYTES);
            }
        } else {
            LOG.info(
                    "[state-accel] state '{}': no automatic value separation, which is for cached"
                            + " states and lists",
                    state);
        }
    }

    /** Has all states decide; to be called before each checkpoint. */
    public void review() {
        states.forEach(
                (name, state) -> {
                    boolean on = state.decision.review();
                    if (on != state.isOn && change(name, state, on)) {
                        LOG.info(
                                "[state-accel] state '{}': {} % of the bytes written are in values"
                                        + " of at least {} bytes: these are kept {} from now on",
                                name,
                                Math.round(100 * state.decision.longShare()),
                                SeparationDecision.LONG_BYTES,
                                on ? "in blob files" : "together with their keys");
                    }
                });
    }

    /**
     * Tells RocksDB. An error leaves things as they are, with a line in the log, until the next
     * checkpoint: it costs space or time, not state.
     */
    private boolean change(String name, DecidingState state, boolean on) {
        try {
            db.setOptions(state.columnFamily, NewerOptions.blobFiles(on));
        } catch (RocksDBException e) {
            LOG.warn("[state-accel] state '{}': cannot change value separation", name, e);
            return false;
        }
        state.isOn = on;
        metrics.show(name, on ? SeparationDecision.LONG_BYTES : 0);
        return true;
    }

    /** The share, 0 to 1, of a column family's bytes on disk that are separated values in use. */
    private double separatedShare(String state, ColumnFamilyHandle columnFamily) {
        try {
            long separated =
                    db.getLongProperty(columnFamily, "rocksdb.live-blob-file-size")
                            - db.getLongProperty(
                                    columnFamily, "rocksdb.live-blob-file-garbage-size");
            long rest = db.getLongProperty(columnFamily, "rocksdb.live-sst-files-size");
            return separated == 0 ? 0 : (double) separated / (separated + rest);
        } catch (RocksDBException e) {
            LOG.warn("[state-accel] state '{}': cannot look at its blob files", state, e);
            return 0;
        }
    }

    /** A state that decides for itself. */
    private static final class DecidingState {
        final SeparationDecision decision;
        ColumnFamilyHandle columnFamily;
        boolean isOn;

        DecidingState(ColumnFamilyHandle columnFamily, SeparationDecision decision) {
            this.columnFamily = columnFamily;
            this.decision = decision;
        }
    }
}
