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
package io.stateaccel.operators.window.session;

import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowQuery;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;

/**
 * Rows of {@code SESSION} with their windows, without an aggregate.
 *
 * @param isEventTime or processing time
 * @param retracts whether there are rows of all kinds
 * @param unit milliseconds by which time goes on
 * @param gap milliseconds that end a session
 * @param zone of its times
 * @param begin of the times of rows, milliseconds
 * @param heapBytes of ours
 */
record SessionRowsCase(
        boolean isEventTime,
        boolean retracts,
        long unit,
        long gap,
        ZoneId zone,
        long begin,
        long heapBytes)
        implements WindowQuery {

    private static final int COLUMNS = WindowCase.ROW.length;

    static SessionRowsCase random(Random random) {
        boolean isEventTime = random.nextInt(3) > 0;
        boolean isLocal = random.nextInt(3) == 0;
        long unit = isLocal ? Duration.ofMinutes(30).toMillis() : 10;
        long[] budgets = {0, 600, 3_000, 20_000, 1L << 30, 1L << 30};
        return new SessionRowsCase(
                isEventTime,
                random.nextInt(3) == 0,
                unit,
                SessionCase.gap(random, unit),
                ZoneId.of(isLocal ? "America/Los_Angeles" : "UTC"),
                isLocal ? WindowCase.begin(random) : 1_000,
                budgets[random.nextInt(budgets.length)]);
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> accelerated() {
        return new HeapSessionRows(windows(), new RowDataSerializer(WindowCase.ROW), heapBytes);
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> stock() {
        return stock(row -> {});
    }

    /**
     * @param leftovers takes the text of each row that gets into a session that it is not of
     */
    OneInputStreamOperator<RowData, RowData> stock(Consumer<String> leftovers) {
        return new StockSessionRows(
                windows(),
                new RowDataSerializer(WindowCase.ROW),
                row -> leftovers.accept(textOf(row)));
    }

    OneInputStreamOperator<RowData, RowData> byDefinition() {
        return new KeyedProcessOperator<>(
                new SessionRowsByDefinition(windows(), new RowDataSerializer(WindowCase.ROW)));
    }

    private SessionWindows windows() {
        return isEventTime
                ? SessionWindows.ofRowTime(WindowCase.TIME, gap, zone)
                : SessionWindows.ofProcessingTime(gap, zone);
    }

    @Override
    public BinaryRowData row(RowKind rowKind, String key, long value, long time, long number) {
        return WindowCase.row(rowKind, key, value, time);
    }

    @Override
    public String text(RowData result) {
        return "%s of %s to %s, %s"
                .formatted(
                        textOf(result),
                        result.getTimestamp(COLUMNS, 3),
                        result.getTimestamp(COLUMNS + 1, 3),
                        result.getTimestamp(COLUMNS + 2, 3));
    }

    private static String textOf(RowData row) {
        return "%s: %s %d at %s"
                .formatted(
                        row.getString(KEY),
                        row.getRowKind().shortString(),
                        row.getLong(WindowCase.VALUE),
                        row.getTimestamp(WindowCase.TIME, 3));
    }

    /**
     * @param text of a result
     * @return that of its row
     */
    static String rowIn(String text) {
        return text.substring(0, Math.max(0, text.indexOf(" of ")));
    }
}
