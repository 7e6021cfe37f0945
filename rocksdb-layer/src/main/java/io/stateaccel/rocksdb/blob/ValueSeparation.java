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

import io.stateaccel.config.StateAccelOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;

/**
 * From which size on the values of each state are kept out of the LSM tree, in blob files, and the
 * options with which RocksDB (its integrated BlobDB) does so.
 *
 * <p>Immutable.
 */
public final class ValueSeparation {

    /** As large as Flink makes SST files: a file goes when it is garbage as a whole. */
    private static final long FILE_BYTES = 64L << 20;

    /**
     * Until {@link BlobGarbage} has seen the database, and in jobs without checkpoints, which never
     * separate automatically.
     */
    private static final double INITIAL_AGE_CUTOFF = 0.25;

    /** Every value that a compaction meets in a blob file. */
    private static final double WHATEVER_AGE = 1.0;

    private final long minBytes;
    private final Map<String, Long> minBytesPerState;
    private final boolean automatic;

    private ValueSeparation(long minBytes, Map<String, Long> minBytesPerState, boolean automatic) {
        this.minBytes = minBytes;
        this.minBytesPerState = minBytesPerState;
        this.automatic = automatic && minBytes == 0;
    }

    /**
     * @param config checked by {@link io.stateaccel.config.BackendOptionsValidator}
     */
    public static ValueSeparation from(ReadableConfig config) {
        Map<String, Long> minBytesPerState = new HashMap<>();
        config.getOptional(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE)
                .orElse(Map.of())
                .forEach((state, size) -> minBytesPerState.put(state, MemorySize.parseBytes(size)));
        return new ValueSeparation(
                config.get(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE).getBytes(),
                minBytesPerState,
                config.get(StateAccelOptions.VALUE_SEPARATION_AUTOMATIC));
    }

    /** Whether values of any state may be separated, now or later. */
    public boolean mayBeOn() {
        return automatic || isForced();
    }

    /** Whether values of any state are separated from the beginning. */
    public boolean isForced() {
        return minBytes > 0 || minBytesPerState.values().stream().anyMatch(bytes -> bytes > 0);
    }

    /** Whether values of this state are separated from the beginning. */
    boolean isForcedFor(String state) {
        return minBytesOf(state) > 0;
    }

    /** Whether some states decide for themselves, with {@link AutomaticSeparation}. */
    public boolean isAutomatic() {
        return automatic;
    }

    /** Whether this state decides for itself. */
    public boolean isAutomaticFor(String state) {
        return automatic && !minBytesPerState.containsKey(state);
    }

    /**
     * Has the values of a state separated where that is forced, and all but begun where it is
     * automatic. Blob files are compressed, value by value, as the lowest level is.
     */
    public void applyTo(ColumnFamilyOptions options, String state) {
        boolean automaticHere = isAutomaticFor(state);
        if (!automaticHere && !isForcedFor(state)) {
            return;
        }
        List<CompressionType> perLevel = options.compressionPerLevel();
        options.setEnableBlobFiles(!automaticHere)
                .setMinBlobSize(automaticHere ? SeparationDecision.LONG_BYTES : minBytesOf(state))
                .setBlobFileSize(FILE_BYTES)
                .setBlobCompressionType(
                        perLevel.isEmpty()
                                ? options.compressionType()
                                : perLevel.get(perLevel.size() - 1))
                .setEnableBlobGarbageCollection(true)
                .setBlobGarbageCollectionAgeCutoff(automaticHere ? 0 : INITIAL_AGE_CUTOFF);
    }

    /**
     * Has compactions take the values of a state that an earlier run separated back into SST files,
     * unless they may be separated still.
     */
    public void takeBackUnlessOn(ColumnFamilyOptions options, String state) {
        if (!isForcedFor(state) && !isAutomaticFor(state)) {
            options.setEnableBlobGarbageCollection(true)
                    .setBlobGarbageCollectionAgeCutoff(WHATEVER_AGE);
        }
    }

    private long minBytesOf(String state) {
        return minBytesPerState.getOrDefault(state, minBytes);
    }
}
