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

import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateBackend;

/**
 * The lists of a state by their numbers, which are its namespaces, as they are serialised: elements
 * with a {@linkplain #DELIMITER delimiter} between them. For who finds what it looks for in the
 * bytes, without objects. All methods are about the lists of the backend's current key. Used by the
 * task thread.
 */
public interface SerializedLists {

    /** What is between two elements; a byte that elements may have, too. */
    byte DELIMITER = ',';

    /** A number that changes whenever another key, or the same once more, is set. */
    long keyVersion();

    /**
     * The current key and the number of a list as they are serialised, good until the next call of
     * anything; null if the backend does not say.
     */
    @Nullable
    byte[] key(int number);

    /**
     * Reads a list.
     *
     * @param into set to where the list's bytes are, which are not to be changed and are good until
     *     anything else is read or written on the backend; left as it is if there is no list
     * @return whether there is one
     */
    boolean read(int number, SerializedList into) throws Exception;

    /**
     * Adds elements to the end of a list.
     *
     * @param elements with delimiters between them; taken from the start
     */
    void append(int number, byte[] elements, int length) throws Exception;

    /**
     * Puts other bytes in the place of as many of a list that is there.
     *
     * @param listLength what the list was read with; with a time to live RocksDB may have dropped
     *     some of it since
     * @param offset in the list
     * @param bytes taken from the start
     * @return false, with nothing done, if the list has another length by now
     */
    boolean overwrite(int number, int listLength, int offset, byte[] bytes, int length)
            throws Exception;

    /**
     * Sets a list.
     *
     * @param list elements with delimiters between them; taken whole
     */
    void replace(int number, byte[] list) throws Exception;

    /** Removes a list. */
    void remove(int number) throws Exception;

    /** A backend that can hand out its lists in this way. */
    interface Backend {

        /** Whether it keeps lists on the heap, so that each access is to them and not to a disk. */
        boolean keepsLists();

        /**
         * @param stateName of a state of lists that has been opened, with numbers as namespaces
         */
        SerializedLists serializedLists(String stateName);
    }

    /** Whether a backend hands out lists that it keeps on the heap. */
    static boolean areKept(KeyedStateBackend<?> backend) {
        return backend instanceof Backend && ((Backend) backend).keepsLists();
    }

    /**
     * The lists of a state as its backend has them, if it does.
     *
     * @param backend any; one around another that notes each change, as Flink's changelog backend
     *     does, would miss those that are made here, so there are none
     */
    static Optional<SerializedLists> of(KeyedStateBackend<?> backend, String stateName) {
        return backend instanceof Backend
                ? Optional.of(((Backend) backend).serializedLists(stateName))
                : Optional.empty();
    }
}
