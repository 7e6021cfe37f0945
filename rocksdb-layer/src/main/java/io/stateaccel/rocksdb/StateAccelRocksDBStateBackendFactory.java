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
package io.stateaccel.rocksdb;

import io.stateaccel.flink.FlinkVersionCheck;
import io.stateaccel.flink.JavaRequirement;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.StateBackendFactory;

/**
 * Creates the accelerated RocksDB backend from a configuration; its class name is the value of
 * {@code state.backend.type}.
 *
 * <p>Takes every {@code state.backend.rocksdb.*} option with its stock meaning, and those of {@link
 * io.stateaccel.config.StateAccelOptions} that begin with {@code state.backend.state-accel.}.
 * Stateless and thread-safe. Compiled for Java 8, so that an older Java is told what is missing.
 */
public final class StateAccelRocksDBStateBackendFactory
        implements StateBackendFactory<StateAccelRocksDBStateBackend> {

    /**
     * @throws IllegalConfigurationException when an option has an unusable value, or this is
     *     another Flink line than the jar was built for
     * @throws UnsupportedOperationException when Java is too old
     */
    @Override
    public StateAccelRocksDBStateBackend createFromConfig(
            ReadableConfig config, ClassLoader classLoader) throws IllegalConfigurationException {
        JavaRequirement.check();
        FlinkVersionCheck.describeMismatch()
                .ifPresent(
                        mismatch -> {
                            throw new IllegalConfigurationException(mismatch);
                        });
        return new StateAccelRocksDBStateBackend().configure(config, classLoader);
    }
}
