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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.benchmarks.EvictionBenchmark.Accesses;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.Test;

/** The benchmarks run, and what they compare does the same work. */
class BenchmarksTest {

    private static final int ROOM = 1_000;

    @Test
    void everyJoinEmitsTheSameNumberOfRows() throws Exception {
        List<Long> emitted = new ArrayList<>();
        for (Q4Join join : Q4Join.values()) {
            for (boolean rocksdb : new boolean[] {true, false}) {
                JoinBenchmark benchmark = new JoinBenchmark();
                benchmark.join = join;
                benchmark.type = FlinkJoinType.INNER;
                benchmark.rocksdb = rocksdb;
                benchmark.rowsBefore = Q4Join.BUNDLE_SIZE;
                benchmark.memoryMiB = 32;
                benchmark.open();
                try {
                    benchmark.generate();
                    emitted.add(benchmark.perRow());
                } finally {
                    benchmark.close();
                }
            }
        }

        assertThat(emitted.get(0)).isPositive();
        assertThat(emitted).containsOnly(emitted.get(0));
    }

    @Test
    void everyIntervalJoinEmitsTheSameNumberOfRowsOnEveryBackend() throws Exception {
        List<Long> emitted = new ArrayList<>();
        for (IntervalJoin join : IntervalJoin.values()) {
            for (Backend backend :
                    List.of(Backend.STOCK_ROCKSDB, Backend.ACCELERATED_ROCKSDB, Backend.HEAP)) {
                IntervalJoinBenchmark benchmark = new IntervalJoinBenchmark();
                benchmark.join = join;
                benchmark.backend = backend;
                benchmark.interval = IntervalJoinBenchmark.ROWS;
                benchmark.payloadBytes = 100;
                benchmark.memoryMiB = 32;
                benchmark.open();
                try {
                    benchmark.generate();
                    emitted.add(benchmark.perRow());
                } finally {
                    benchmark.close();
                }
            }
        }

        assertThat(emitted.get(0)).isPositive();
        assertThat(emitted).containsOnly(emitted.get(0));
    }

    @Test
    void everyOperationFindsAndWritesItsRows() throws Exception {
        for (Operation operation : Operation.values()) {
            for (Backend backend : List.of(Backend.STOCK_ROCKSDB, Backend.ACCELERATED_ROCKSDB)) {
                assertThat(rowsPerAccess(backend, operation))
                        .as(operation + ", " + backend)
                        .isEqualTo(operation.rows);
            }
        }
    }

    @Test
    void stateIsFilledAndRestoredOnEveryBackend() throws Exception {
        for (Backend backend : Backend.values()) {
            assertThat(rowsPerAccess(backend, Operation.MAP_SCAN_10))
                    .as("%s", backend)
                    .isEqualTo(10);
        }
    }

    private static long rowsPerAccess(Backend backend, Operation operation) throws Exception {
        StateAccessBenchmark benchmark = new StateAccessBenchmark();
        benchmark.backend = backend;
        benchmark.operation = operation;
        benchmark.blockCaches = 0.01;
        benchmark.memoryMiB = 32;
        benchmark.open();
        try {
            return benchmark.perAccess() / StateAccessBenchmark.ACCESSES;
        } finally {
            benchmark.close();
        }
    }

    @Test
    void everyEvictionPolicySeesTheSameKeys() {
        for (AccessPattern pattern : AccessPattern.values()) {
            long distinct =
                    Arrays.stream(pattern.keys(EvictionBenchmark.ACCESSES, ROOM))
                            .distinct()
                            .count();
            for (EvictionPolicy policy : EvictionPolicy.values()) {
                Accesses accesses = accesses(pattern, policy);
                assertThat(accesses.hits + accesses.misses).isEqualTo(EvictionBenchmark.ACCESSES);
                assertThat(accesses.misses)
                        .as(policy + ", " + pattern)
                        .isGreaterThanOrEqualTo(distinct);
            }
        }
        assertThat(accesses(AccessPattern.HOT_SET_AND_SCAN, EvictionPolicy.S3_FIFO).hits)
                .isGreaterThan(accesses(AccessPattern.HOT_SET_AND_SCAN, EvictionPolicy.LRU).hits);
    }

    private static Accesses accesses(AccessPattern pattern, EvictionPolicy policy) {
        EvictionBenchmark benchmark = new EvictionBenchmark();
        benchmark.pattern = pattern;
        benchmark.policy = policy;
        benchmark.room = ROOM;
        benchmark.generate();
        benchmark.empty();
        Accesses accesses = new Accesses();
        benchmark.perAccess(accesses);
        return accesses;
    }
}
