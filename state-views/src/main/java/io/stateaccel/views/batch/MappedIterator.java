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

import java.util.Iterator;
import java.util.function.Function;

/**
 * What an iterator's elements come to, one by one. Removes from where those are.
 *
 * @param elements gone through as this is
 * @param part of an element
 */
public record MappedIterator<E, T>(Iterator<E> elements, Function<E, T> part)
        implements Iterator<T> {

    @Override
    public boolean hasNext() {
        return elements.hasNext();
    }

    @Override
    public T next() {
        return part.apply(elements.next());
    }

    @Override
    public void remove() {
        elements.remove();
    }
}
