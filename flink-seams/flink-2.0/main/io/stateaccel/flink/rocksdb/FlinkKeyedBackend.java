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

import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.InternalKeyContextImpl;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;

/**
 * {@link RocksDBKeyedStateBackend} as this line of Flink has it: its constructor, and those of its
 * methods that other lines lack. Threading and errors are as there.
 *
 * @param <K> the type of the keys
 */
public abstract class FlinkKeyedBackend<K> extends RocksDBKeyedStateBackend<K> {

    protected FlinkKeyedBackend(BackendParts<K> parts, OpenDatabase<K> database) {
        this(parts, database, parts.parameters());
    }

    private FlinkKeyedBackend(
            BackendParts<K> parts,
            OpenDatabase<K> database,
            KeyedStateBackendParameters<K> parameters) {
        super(
                parts.userCodeClassLoader(),
                parts.instanceBasePath(),
                parts.resources(),
                parts.columnFamilyOptions(),
                parameters.getKvStateRegistry(),
                parts.keySerializerProvider().currentSchemaSerializer(),
                parameters.getEnv().getExecutionConfig(),
                parameters.getTtlTimeProvider(),
                parts.tracking().latency(),
                database.db(),
                parts.states(),
                parts.heapTimers(),
                parts.keyGroupPrefixBytes(),
                parts.cancellation(),
                AbstractStateBackend.getCompressionDecorator(
                        parameters.getEnv().getExecutionConfig()),
                parts.resourceGuard(),
                database.snapshotStrategy(),
                database.writeBatch(),
                database.restored().getDefaultColumnFamilyHandle(),
                database.restored().getNativeMetricMonitor(),
                database.keyBuilder(),
                database.timers(),
                parts.ttlFilters(),
                new InternalKeyContextImpl<>(
                        parameters.getKeyGroupRange(), parameters.getNumberOfKeyGroups()),
                parts.settings().writeBatchSize(),
                database.asyncCompaction(),
                database.manualCompaction());
    }

    /** The current key is another one, or could not be set. */
    protected abstract void keyChanged();

    /** To be called before RocksDB is read past what stands in front of it. */
    protected abstract void beforeScan();

    @Override
    public void setCurrentKeyAndKeyGroup(K newKey, int newKeyGroupIndex) {
        try {
            super.setCurrentKeyAndKeyGroup(newKey, newKeyGroupIndex);
        } finally {
            keyChanged();
        }
    }
}
