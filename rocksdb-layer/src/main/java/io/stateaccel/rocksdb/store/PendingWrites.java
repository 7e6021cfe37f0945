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
package io.stateaccel.rocksdb.store;

import org.rocksdb.RocksDBException;

/**
 * What was added by {@link KeyValueStore#add} of all states of a sub-task, and is written in one
 * go. Used by the task thread only.
 */
public interface PendingWrites {

    /** Whether they should be written before there are more. */
    boolean isFull();

    /** Writes them; if it throws, they are pending still. */
    void write() throws RocksDBException;
}
