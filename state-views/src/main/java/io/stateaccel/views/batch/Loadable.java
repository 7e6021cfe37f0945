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
package io.stateaccel.views.batch;

import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * What operators keep by key, loaded for many keys at a time. By itself it has what the current key
 * has, read for that key alone. Used by the task thread.
 *
 * @param <V> what a key has
 */
public interface Loadable<V> extends Loaded<V> {

    /**
     * Loads what keys have; what it returns is good until the next call.
     *
     * @param keys each once; any of them, or none, is the current key afterwards
     * @return what each of them has, deserialised when it is asked for; any other key is read by
     *     itself
     */
    Loaded<V> load(List<RowData> keys) throws Exception;

    /** Where nothing is kept. */
    static <V> Loadable<V> nothing() {
        return new Loadable<>() {
            @Override
            public V value() {
                return null;
            }

            @Override
            public Loaded<V> load(List<RowData> keys) {
                return this;
            }
        };
    }
}
