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

import io.stateaccel.config.KindOverrides;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.flink.NewerOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;

/**
 * From which size on the values of each state are kept out of the LSM tree, in blob files, and the
 * options with which RocksDB (its integrated BlobDB) does so.
 *
 * <p>Immutable, but for what it is told of the kinds of states.
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
    private final Map<String, Long> minBytesPerKind;
    private final Function<String, String> kindOfState;
    private final boolean automatic;

    private ValueSeparation(
            long minBytes,
            Map<String, Long> minBytesPerState,
            Map<String, Long> minBytesPerKind,
            Function<String, String> kindOfState,
            boolean automatic) {
        this.minBytes = minBytes;
        this.minBytesPerState = minBytesPerState;
        this.minBytesPerKind = minBytesPerKind;
        this.kindOfState = kindOfState;
        this.automatic = automatic && minBytes == 0;
    }

    /**
     * @param config checked by {@link io.stateaccel.config.BackendOptionsValidator}
     * @param kindOfState the kind of a state by name, as options name it; asked when a state's
     *     column family is opened, and from then on
     */
    public static ValueSeparation from(
            ReadableConfig config, Function<String, String> kindOfState) {
        Map<String, Long> minBytesPerState = new HashMap<>();
        config.getOptional(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE)
                .orElse(Map.of())
                .forEach((state, size) -> minBytesPerState.put(state, MemorySize.parseBytes(size)));
        KindOverrides overrides = KindOverrides.from(config);
        Map<String, Long> minBytesPerKind = new HashMap<>();
        for (String kind : KindOverrides.KINDS) {
            overrides
                    .of(kind)
                    .getOptional(KindOverrides.VALUE_SEPARATION_MIN_SIZE)
                    .ifPresent(size -> minBytesPerKind.put(kind, size.getBytes()));
        }
        return new ValueSeparation(
                config.get(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE).getBytes(),
                minBytesPerState,
                minBytesPerKind,
                kindOfState,
                config.get(StateAccelOptions.VALUE_SEPARATION_AUTOMATIC));
    }

    /** Whether values of any state may be separated, now or later. */
    public boolean mayBeOn() {
        return automatic || isForced();
    }

    /** Whether values of any state are separated from the beginning. */
    public boolean isForced() {
        return minBytes > 0
                || Stream.of(minBytesPerState, minBytesPerKind)
                        .flatMap(exceptions -> exceptions.values().stream())
                        .anyMatch(bytes -> bytes > 0);
    }

    /** Whether values of this state are separated from the beginning. */
    public boolean isForcedFor(String state) {
        return minBytesOf(state) > 0;
    }

    /** Whether some states decide for themselves, with {@link AutomaticSeparation}. */
    public boolean isAutomatic() {
        return automatic;
    }

    /** Whether this state decides for itself. */
    public boolean isAutomaticFor(String state) {
        return automatic
                && !minBytesPerState.containsKey(state)
                && !minBytesPerKind.containsKey(kindOfState.apply(state));
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
        NewerOptions.setBlobFiles(
                options,
                !automaticHere,
                automaticHere ? SeparationDecision.LONG_BYTES : minBytesOf(state),
                FILE_BYTES,
                perLevel.isEmpty() ? options.compressionType() : perLevel.get(perLevel.size() - 1));
        NewerOptions.collectBlobGarbage(options, initialAgeCutoff(state));
    }

    /** The share of blob files, 0 to 1, whose garbage RocksDB collects if nobody says otherwise. */
    double initialAgeCutoff(String state) {
        return isAutomaticFor(state) ? 0 : INITIAL_AGE_CUTOFF;
    }

    /**
     * Has compactions take the values of a state that an earlier run separated back into SST files,
     * unless they may be separated still.
     */
    public void takeBackUnlessOn(ColumnFamilyOptions options, String state) {
        if (!isForcedFor(state) && !isAutomaticFor(state)) {
            NewerOptions.collectBlobGarbage(options, WHATEVER_AGE);
        }
    }

    private long minBytesOf(String state) {
        Long ofState = minBytesPerState.get(state);
        return ofState != null
                ? ofState
                : minBytesPerKind.getOrDefault(kindOfState.apply(state), minBytes);
    }
}
