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
package io.stateaccel.flink.rocksdb;

import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/**
 * {@link EmbeddedRocksDBStateBackend} as this line of Flink has it: how it is configured, and what
 * it tracks. Threading and errors are as there.
 */
public abstract class FlinkStateBackend extends EmbeddedRocksDBStateBackend {

    private static final long serialVersionUID = 1L;

    /** Flink 1.20 lets only itself make a copy that is configured; null for this one. */
    @Nullable private final EmbeddedRocksDBStateBackend configured;

    protected FlinkStateBackend() {
        configured = null;
    }

    /** A copy with what a configuration says. */
    protected FlinkStateBackend(
            FlinkStateBackend original, ReadableConfig config, ClassLoader classLoader) {
        this.configured = original.configureStock(config, classLoader);
        latencyTrackingConfigBuilder = original.latencyTrackingConfigBuilder.configure(config);
    }

    /** A stock backend with the settings of this one and of a configuration. */
    private EmbeddedRocksDBStateBackend configureStock(
            ReadableConfig config, ClassLoader classLoader) {
        return super.configure(config, classLoader);
    }

    /**
     * The backend that has the configuration. It is this one, where Flink lets a subclass be
     * configured.
     */
    protected final EmbeddedRocksDBStateBackend configured() {
        return configured == null ? this : configured;
    }

    /**
     * The metrics of accesses to states that the configuration asks for.
     *
     * @param group where they are shown
     */
    protected final StateTracking tracking(MetricGroup group) {
        return new StateTracking(latencyTrackingConfigBuilder.setMetricGroup(group).build());
    }

    /**
     * Metrics of the accesses to states, of which there are no lengths before 2.1.
     *
     * @param latency how long accesses take
     */
    public record StateTracking(LatencyTrackingStateConfig latency) {}
}
