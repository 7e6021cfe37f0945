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
package io.stateaccel.views.distinct;

import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.batch.SerializedLists;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;

/**
 * Lists of any backend in the way in which ours has them, by serialising and reading them as a
 * whole: for jobs that have moved to another backend. Used by the task thread.
 *
 * @param <E> the elements of the lists
 */
final class ListStateLists<E> implements SerializedLists {

    private final InternalListState<?, Integer, E> state;
    private final TypeSerializer<E> serializer;
    private long accesses;

    ListStateLists(InternalListState<?, Integer, E> state, TypeSerializer<E> serializer) {
        this.state = state;
        this.serializer = serializer;
    }

    /** Never the same, as nobody says when a key is set. */
    @Override
    public long keyVersion() {
        return accesses++;
    }

    @Override
    @Nullable
    public byte[] key(int number) {
        return null;
    }

    @Override
    public boolean read(int number, SerializedList into) throws Exception {
        state.setCurrentNamespace(number);
        List<E> elements = state.getInternal();
        if (elements == null || elements.isEmpty()) {
            return false;
        }
        DataOutputSerializer output = new DataOutputSerializer(64);
        for (E element : elements) {
            if (output.length() > 0) {
                output.writeByte(DELIMITER);
            }
            serializer.serialize(element, output);
        }
        into.set(output.getSharedBuffer(), 0, output.length());
        return true;
    }

    @Override
    public void append(int number, byte[] elements, int length) throws Exception {
        state.setCurrentNamespace(number);
        state.addAll(elementsOf(elements, length));
    }

    @Override
    public boolean overwrite(int number, int listLength, int offset, byte[] bytes, int length)
            throws Exception {
        SerializedList list = new SerializedList();
        if (!read(number, list) || list.length() != listLength) {
            return false;
        }
        System.arraycopy(bytes, 0, list.bytes(), list.offset() + offset, length);
        state.updateInternal(elementsOf(list.bytes(), list.length()));
        return true;
    }

    @Override
    public void replace(int number, byte[] list) throws Exception {
        state.setCurrentNamespace(number);
        state.updateInternal(elementsOf(list, list.length));
    }

    @Override
    public void remove(int number) {
        state.setCurrentNamespace(number);
        state.clear();
    }

    private List<E> elementsOf(byte[] list, int length) throws IOException {
        List<E> elements = new ArrayList<>();
        DataInputDeserializer input = new DataInputDeserializer(list, 0, length);
        while (input.available() > 0) {
            elements.add(serializer.deserialize(input));
            if (input.available() > 0) {
                input.skipBytesToRead(1);
            }
        }
        return elements;
    }
}
