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
package io.stateaccel.rocksdb.cache;

import io.stateaccel.metrics.AcceleratorMetrics;
import java.util.function.Supplier;
import org.apache.flink.metrics.MetricGroup;

/**
 * What the caches of one sub-task show in Flink's metrics: {@code state-accel.cache} in the
 * operator's group, with {@code state_name} below it for each cached state. The variable is the one
 * that Flink's own metrics of states have.
 *
 * <p>All are gauges over the plain counters that the task thread keeps anyway, so they cost that
 * thread nothing; a reporter's thread may see them a little old.
 */
final class CacheMetrics {

    private static final String PART = "cache";
    private static final String STATE_NAME = "state_name";

    private final MetricGroup group;

    /**
     * @param operator the operator's group, which no other live backend uses
     */
    CacheMetrics(MetricGroup operator, SubTaskCache cache) {
        group = AcceleratorMetrics.open(operator, PART);
        gauge(group, "budgetBytes", cache::budgetBytes);
        gauge(group, "usedBytes", cache::bytes);
    }

    void add(StateCache state) {
        MetricGroup ofState = group.addGroup(STATE_NAME, state.stateName());
        gauge(ofState, "hits", () -> state.statistics().readHits());
        gauge(ofState, "absentHits", () -> state.statistics().absentReadHits());
        gauge(ofState, "misses", () -> state.statistics().readMisses());
        gauge(ofState, "writes", () -> state.statistics().writes());
        gauge(ofState, "coalescedWrites", () -> state.statistics().coalescedWrites());
        gauge(ofState, "writeBacks", () -> state.statistics().writtenBack());
        gauge(ofState, "evictions", () -> state.statistics().evictions());
        gauge(ofState, "entries", () -> (long) state.statistics().entries());
        gauge(ofState, "usedBytes", () -> state.statistics().bytes());
        gauge(ofState, "dirtyBytes", () -> state.statistics().dirtyBytes());
        gauge(ofState, "bypassed", () -> state.statistics().bypassed() ? 1L : 0L);
        gauge(ofState, "bypassSwitches", () -> state.statistics().bypassSwitches());
    }

    /** Takes all metrics off the reporters, which hold the caches until then. */
    void close() {
        AcceleratorMetrics.close(group);
    }

    private static void gauge(MetricGroup group, String name, Supplier<Long> value) {
        group.gauge(name, value::get);
    }
}
