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
package io.stateaccel.operators.window.slice;

import java.io.IOException;
import javax.annotation.Nullable;

/**
 * The state that {@link HeapSlices} are put before, and what values take on the heap. What is read
 * and written is that of the backend's current key.
 *
 * @param <V> what there is of a key and slice
 */
public interface SliceStore<V> {

    /**
     * A value that may be changed, and is nobody else's.
     *
     * @param appended what has come since and the state does not have, to be part of the value;
     *     null where values are read before anything is added to them
     */
    @Nullable
    V read(long sliceEnd, @Nullable V appended) throws IOException;

    /**
     * @param value goes on changing afterwards
     */
    void write(long sliceEnd, V value) throws IOException;

    /**
     * @param value what there is in the state and what has changed since; null if it is not known
     */
    void clear(long sliceEnd, @Nullable V value);

    /** Heap that every value takes. */
    long bytesPerValue();

    /** Heap that a value takes beside {@link #bytesPerValue}. */
    long bytes(V value);

    /**
     * The same of a value that has taken a row in.
     *
     * @param before what {@link #bytes} was without the row
     * @param rowBytes what the values of the row take
     */
    long bytes(V value, long before, long rowBytes);
}
