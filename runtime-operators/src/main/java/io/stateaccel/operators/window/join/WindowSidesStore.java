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
package io.stateaccel.operators.window.join;

import io.stateaccel.operators.window.slice.SliceStore;
import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.table.data.RowData;

/** {@link WindowSides} in the states that Flink has for them, a list each; appended blind. */
final class WindowSidesStore implements SliceStore<WindowSides> {

    /** Of a {@link WindowSides} without rows. */
    private static final int BYTES = 192;

    private final InternalListState<RowData, Long, RowData> left;
    private final InternalListState<RowData, Long, RowData> right;

    WindowSidesStore(
            InternalListState<RowData, Long, RowData> left,
            InternalListState<RowData, Long, RowData> right) {
        this.left = left;
        this.right = right;
    }

    private InternalListState<RowData, Long, RowData> state(boolean isLeft, long windowEnd) {
        InternalListState<RowData, Long, RowData> state = isLeft ? left : right;
        state.setCurrentNamespace(windowEnd);
        return state;
    }

    @Override
    @Nullable
    public WindowSides read(long windowEnd, @Nullable WindowSides appended) throws IOException {
        WindowSides sides = readSide(true, windowEnd, appended);
        return readSide(false, windowEnd, sides);
    }

    @Nullable
    private WindowSides readSide(boolean isLeft, long windowEnd, @Nullable WindowSides others)
            throws IOException {
        Iterable<RowData> rows;
        try {
            rows = state(isLeft, windowEnd).get();
        } catch (Exception e) {
            throw new IOException(e);
        }
        if (rows == null) {
            return others;
        }
        WindowSides sides = others == null ? new WindowSides() : others;
        sides.addStored(isLeft, rows);
        return sides;
    }

    @Override
    public void write(long windowEnd, WindowSides sides) throws IOException {
        writeSide(true, windowEnd, sides);
        writeSide(false, windowEnd, sides);
    }

    private void writeSide(boolean isLeft, long windowEnd, WindowSides sides) throws IOException {
        List<RowData> more = sides.side(isLeft).takeNew();
        if (more.isEmpty()) {
            return;
        }
        try {
            state(isLeft, windowEnd).addAll(more);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Override
    public void clear(long windowEnd, @Nullable WindowSides sides) {
        if (sides == null || sides.side(true).isStored()) {
            state(true, windowEnd).clear();
        }
        if (sides == null || sides.side(false).isStored()) {
            state(false, windowEnd).clear();
        }
    }

    @Override
    public long bytesPerValue() {
        return BYTES;
    }

    @Override
    public long bytes(WindowSides sides) {
        return sides.bytes();
    }

    @Override
    public long bytes(WindowSides sides, long before, long rowBytes) {
        return sides.bytes();
    }
}
