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

/** Where the bytes of a list are that {@link SerializedLists} has read. */
public final class SerializedList {

    private byte[] bytes;
    private int offset;
    private int length;

    /** The array that the list is in; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where the list begins. */
    public int offset() {
        return offset;
    }

    /** Bytes of the list. */
    public int length() {
        return length;
    }

    /** Sets all three. */
    public void set(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
    }
}
