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

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;

/**
 * The current key of a keyed backend, serialised as RocksDB has it. Used by the task thread only.
 *
 * @param <K> the type of the key
 */
public final class CurrentKey<K> {

    private final SerializedCompositeKeyBuilder<K> builder;
    private long changes;

    /**
     * @param builder the backend's own, which the backend tells of each key
     */
    public CurrentKey(SerializedCompositeKeyBuilder<K> builder) {
        this.builder = builder;
    }

    /** To be called whenever the backend's key is set. */
    public void changed() {
        changes++;
    }

    /** A number that is the same as long as the key is. */
    public long version() {
        return changes;
    }

    /** The key and a namespace, in an array of its own. */
    public <N> byte[] withNamespace(N namespace, TypeSerializer<N> serializer) {
        return builder.buildCompositeKeyNamespace(namespace, serializer);
    }

    <N, UK> byte[] withNamespaceAndMapKey(
            N namespace,
            TypeSerializer<N> serializer,
            UK mapKey,
            TypeSerializer<UK> mapKeySerializer)
            throws IOException {
        return builder.buildCompositeKeyNamesSpaceUserKey(
                namespace, serializer, mapKey, mapKeySerializer);
    }
}
