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
package io.stateaccel.benchmarks;

import io.stateaccel.config.StateAccelOptions;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * What the wide-row join is run with. In arguments and tables a name is written {@code like-so}.
 */
enum WideJoinVariant {
    /** All of Flink as it is shipped. */
    STOCK(IntervalJoin.STOCK, Backend.STOCK_ROCKSDB, Map.of()),

    /** Flink with the option that helps it most where state is larger than the block cache. */
    STOCK_PARTITIONED(IntervalJoin.STOCK, Backend.STOCK_PARTITIONED, Map.of()),

    /** Flink's operator on our backend: what a program with such a map of its own gets. */
    BACKEND(IntervalJoin.STOCK, Backend.ACCELERATED_ROCKSDB, Map.of()),

    BACKEND_AUTOMATIC(IntervalJoin.STOCK, Backend.ACCELERATED_ROCKSDB, Separation.AUTOMATIC),

    BACKEND_SEPARATED(IntervalJoin.STOCK, Backend.ACCELERATED_ROCKSDB, Separation.FROM_1_KIB),

    /** Our operator and backend, values together with their keys. */
    ACCELERATED(IntervalJoin.MINI_BATCH, Backend.ACCELERATED_ROCKSDB, Map.of()),

    /** The same, and each state decides whether long values are kept apart. */
    AUTOMATIC(IntervalJoin.MINI_BATCH, Backend.ACCELERATED_ROCKSDB, Separation.AUTOMATIC),

    /** The same, with all values from 1 KiB on kept apart. */
    SEPARATED(IntervalJoin.MINI_BATCH, Backend.ACCELERATED_ROCKSDB, Separation.FROM_1_KIB);

    final IntervalJoin join;
    final Backend backend;
    final Map<String, String> options;

    WideJoinVariant(IntervalJoin join, Backend backend, Map<String, String> options) {
        this.join = join;
        this.backend = backend;
        this.options = options;
    }

    /**
     * @throws IllegalArgumentException when there is none of this name
     */
    static WideJoinVariant named(String name) {
        return Arrays.stream(values())
                .filter(variant -> variant.toString().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "No variant '"
                                                + name
                                                + "'; there are "
                                                + Arrays.toString(values())));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static final class Separation {
        static final Map<String, String> AUTOMATIC =
                Map.of(StateAccelOptions.VALUE_SEPARATION_AUTOMATIC.key(), "true");
        static final Map<String, String> FROM_1_KIB =
                Map.of(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "1kb");
    }
}
