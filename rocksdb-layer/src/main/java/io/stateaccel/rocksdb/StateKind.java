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

import java.util.Locale;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/** What a column family holds; the one input of {@link ColumnFamilyPolicy}. */
public enum StateKind {
    /** {@code ValueState}: one RocksDB entry per key and namespace. */
    VALUE,
    /** {@code ListState}: one RocksDB entry per key and namespace, appended to by merging. */
    LIST,
    /** {@code MapState}: one RocksDB entry per map entry, behind the prefix of its key. */
    MAP,
    /** {@code ReducingState}: one RocksDB entry per key and namespace. */
    REDUCING,
    /** {@code AggregatingState}: one RocksDB entry per key and namespace. */
    AGGREGATING,
    /** Timers and other priority queues: only scanned, in order. */
    TIMER,
    /** Anything else: RocksDB's own default column family and kinds unknown to this version. */
    OTHER;

    /** Whether the state is read by whole keys, so that a filter over whole keys helps it. */
    public boolean isReadByKey() {
        return this != TIMER && this != OTHER;
    }

    /** As options name it. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind of a state that an operator registers. */
    public static StateKind of(StateDescriptor.Type type) {
        return switch (type) {
            case VALUE -> VALUE;
            case LIST -> LIST;
            case MAP -> MAP;
            case REDUCING -> REDUCING;
            case AGGREGATING -> AGGREGATING;
            default -> OTHER;
        };
    }

    /** The kind of a state that a checkpoint or savepoint names. */
    public static StateKind of(StateMetaInfoSnapshot snapshot) {
        return switch (snapshot.getBackendStateType()) {
            case PRIORITY_QUEUE -> TIMER;
            case KEY_VALUE ->
                    of(
                            StateDescriptor.Type.valueOf(
                                    snapshot.getOption(
                                            StateMetaInfoSnapshot.CommonOptionsKeys
                                                    .KEYED_STATE_TYPE)));
            default -> OTHER;
        };
    }
}
