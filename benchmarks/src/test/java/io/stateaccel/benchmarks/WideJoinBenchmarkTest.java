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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.benchmarks.WideJoinProbe.Access;
import io.stateaccel.benchmarks.WideJoinResult.Phase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** All variants of the wide-row join run, emit the same, and are measured in all respects. */
class WideJoinBenchmarkTest {

    private static final int STATE_MIB = 4;
    private static final int MEMORY_MIB = 16;
    private static final int TURNOVERS = 3;

    @Test
    @EnabledOnOs(OS.LINUX)
    void everyVariantJoinsTheSameRowsAndIsMeasured() throws Exception {
        List<WideJoinResult> results = new ArrayList<>();
        for (WideJoinVariant variant : WideJoinVariant.values()) {
            results.add(WideJoinBenchmark.run(variant, STATE_MIB, MEMORY_MIB, TURNOVERS));
        }

        WideJoinBenchmark.checkEqual(results);
        for (WideJoinResult result : results) {
            assertThat(result.joined()).isPositive();
            assertThat(result.digest()).isNotZero();
            for (Phase phase : List.of(result.filling(), result.full())) {
                assertThat(phase.rows()).isPositive();
                assertThat(phase.taskCpu()).as(result.variant() + ", task").isPositive();
                assertThat(phase.work().flushed()).as(result.variant() + ", flushed").isPositive();
                assertThat(phase.files().sstBytes()).isPositive();
            }
            assertThat(result.full().flushCpu() + result.full().compactionCpu())
                    .as(result.variant() + ", CPU of RocksDB's threads")
                    .isPositive();
            assertThat(result.full().work().compactionWritten())
                    .as(result.variant() + ", compacted")
                    .isPositive();
            assertThat(result.files()).hasSizeGreaterThanOrEqualTo(2);
            assertThat(measured(result)).isEqualTo(accessesOf(result.variant().join));
        }
        assertThat(blobBytes(results, WideJoinVariant.STOCK)).isZero();
        assertThat(blobBytes(results, WideJoinVariant.ACCELERATED)).isZero();
        assertThat(blobBytes(results, WideJoinVariant.AUTOMATIC)).isPositive();
        assertThat(blobBytes(results, WideJoinVariant.SEPARATED)).isPositive();

        String report = WideJoinReport.of(results);
        for (WideJoinVariant variant : WideJoinVariant.values()) {
            // In the two tables by phase twice each, in one a column, in the list once.
            assertThat(report.split("[|-] " + variant + "[ :]", -1)).hasSize(7);
        }
        assertThat(report).contains("| absent get |", "| next |", "; most at a time ");
    }

    @Test
    void otherRowsAreNoticed() {
        WideJoinResult some = result(WideJoinVariant.STOCK, 10, 7);
        WideJoinBenchmark.checkEqual(List.of(some, result(WideJoinVariant.BACKEND, 10, 7)));

        for (WideJoinResult other :
                List.of(
                        result(WideJoinVariant.SEPARATED, 11, 7),
                        result(WideJoinVariant.SEPARATED, 10, 8))) {
            assertThatThrownBy(() -> WideJoinBenchmark.checkEqual(List.of(some, some, other)))
                    .hasMessage("separated joined other rows than stock");
        }
    }

    @Test
    void variantsHaveTheNamesThatTheReportShows() {
        for (WideJoinVariant variant : WideJoinVariant.values()) {
            assertThat(WideJoinVariant.named(variant.toString())).isSameAs(variant);
        }
        assertThatThrownBy(() -> WideJoinVariant.named("STOCK"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stock, stock-partitioned, backend,");
    }

    private static WideJoinResult result(WideJoinVariant variant, long joined, long digest) {
        return new WideJoinResult(variant, joined, digest, null, null, List.of(), Map.of());
    }

    private static long blobBytes(List<WideJoinResult> results, WideJoinVariant variant) {
        return results.get(variant.ordinal()).full().files().blobBytes();
    }

    private static Set<Access> measured(WideJoinResult result) {
        Set<Access> measured = EnumSet.noneOf(Access.class);
        for (Map.Entry<Access, Histogram> access : result.nanos().entrySet()) {
            if (access.getValue().getTotalCount() > 0) {
                measured.add(access.getKey());
            }
        }
        return measured;
    }

    private static Set<Access> accessesOf(IntervalJoin join) {
        return join == IntervalJoin.STOCK
                ? EnumSet.allOf(Access.class)
                : EnumSet.complementOf(EnumSet.of(Access.SEEK, Access.ABSENT_SEEK, Access.NEXT));
    }
}
