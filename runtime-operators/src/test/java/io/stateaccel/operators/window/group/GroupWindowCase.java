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
package io.stateaccel.operators.window.group;

import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowFunctions;
import io.stateaccel.operators.window.WindowQuery;
import io.stateaccel.operators.window.WindowTableFunctions;
import io.stateaccel.operators.window.group.HeapGroupWindowSpec.Updates;
import io.stateaccel.operators.window.session.SessionCase;
import io.stateaccel.operators.window.session.SessionSpec;
import io.stateaccel.operators.window.session.SessionWindows;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Random;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.GeneratedClass;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.groupwindow.operator.WindowOperatorBuilder;
import org.apache.flink.table.runtime.operators.window.groupwindow.triggers.ElementTriggers;
import org.apache.flink.table.runtime.operators.window.groupwindow.triggers.EventTimeTriggers;
import org.apache.flink.table.runtime.operators.window.groupwindow.triggers.ProcessingTimeTriggers;
import org.apache.flink.table.runtime.operators.window.groupwindow.triggers.Trigger;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;

/**
 * The aggregate of {@code GROUP BY} a window.
 *
 * @param kind of the window
 * @param isTable whether it is a table aggregate; with early or late results it takes none of them
 *     back, which Flink lets it only do by a compiled plan
 * @param isEventTime or processing time
 * @param retracts whether rows may be retracted
 * @param countsDistinct in a view in state
 * @param unit milliseconds by which time goes on
 * @param size of a window, or the gap that ends a session, milliseconds
 * @param slide from one window to the next
 * @param early milliseconds from one result before the end of a window to the next, 0 for one with
 *     each row, negative for none
 * @param late the same behind its end, on event time
 * @param lateness milliseconds behind its end in which there are some
 * @param zone of its times
 * @param begin of the times of rows, milliseconds
 * @param heapBytes of ours
 */
record GroupWindowCase(
        Kind kind,
        boolean isTable,
        boolean isEventTime,
        boolean retracts,
        boolean countsDistinct,
        long unit,
        long size,
        long slide,
        long early,
        long late,
        long lateness,
        ZoneId zone,
        long begin,
        long heapBytes)
        implements WindowQuery {

    enum Kind {
        TUMBLE,
        HOP,
        SESSION
    }

    static GroupWindowCase random(Random random) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        boolean isEventTime = random.nextInt(3) > 0;
        boolean isLocal = random.nextInt(3) == 0;
        long unit = isLocal ? Duration.ofMinutes(30).toMillis() : 10;
        boolean hasUpdates = kind != Kind.SESSION && random.nextInt(2) == 0;
        long late = hasUpdates && isEventTime ? delay(random, unit) : -1;
        long[] budgets = {0, 600, 3_000, 20_000, 1L << 30, 1L << 30};
        return new GroupWindowCase(
                kind,
                random.nextInt(3) == 0,
                isEventTime,
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                unit,
                switch (kind) {
                    case TUMBLE -> unit;
                    case HOP -> unit * (1 + random.nextInt(4));
                    case SESSION -> SessionCase.gap(random, unit);
                },
                kind == Kind.HOP ? unit * (1 + random.nextInt(4)) : unit,
                hasUpdates ? delay(random, unit) : -1,
                late,
                late < 0 ? 0 : late + 1 + random.nextLong(unit * 2),
                ZoneId.of(isLocal ? "America/Los_Angeles" : "UTC"),
                isLocal ? begin(random, kind) : 1_000,
                budgets[random.nextInt(budgets.length)]);
    }

    /**
     * Some day, for windows that overlap: those that end in the hour that is skipped when daylight
     * saving begins are due at the same time, and Flink works them off in any order, so that one
     * may find its panes cleared by another.
     */
    private static long begin(Random random, Kind kind) {
        return kind == Kind.HOP
                ? Instant.parse("2021-11-10T06:00:00Z").toEpochMilli()
                : WindowCase.begin(random);
    }

    private static long delay(Random random, long unit) {
        return switch (random.nextInt(3)) {
            case 0 -> -1;
            case 1 -> 0;
            default -> 1 + random.nextLong(unit);
        };
    }

    private boolean hasUpdates() {
        return early >= 0 || late >= 0;
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> accelerated() {
        GeneratedClass<? extends NamespaceAggsHandleFunctionBase<TimeWindow>> functions =
                isTable
                        ? new WindowTableFunctions<>(countsDistinct)
                        : new WindowFunctions<>(0, countsDistinct);
        if (kind == Kind.SESSION) {
            return new HeapGroupSessions(
                    new SessionSpec(
                            isEventTime
                                    ? SessionWindows.ofRowTime(WindowCase.TIME, size, zone)
                                    : SessionWindows.ofProcessingTime(size, zone),
                            functions,
                            countsDistinct,
                            WindowFunctions.ACCUMULATOR,
                            indexOfCountStar(),
                            heapBytes));
        }
        return new HeapGroupWindowAggregate(
                new HeapGroupWindowSpec(
                        kind == Kind.TUMBLE
                                ? FixedWindows.tumbling(isEventTime, Duration.ofMillis(size))
                                : FixedWindows.hopping(
                                        isEventTime,
                                        Duration.ofMillis(size),
                                        Duration.ofMillis(slide)),
                        trigger(),
                        hasUpdates()
                                ? new Updates(
                                        WindowFunctions.RESULT, new ResultEqualiser(), lateness)
                                : null,
                        functions,
                        countsDistinct,
                        WindowFunctions.ACCUMULATOR,
                        indexOfCountStar(),
                        isEventTime ? WindowCase.TIME : -1,
                        zone,
                        heapBytes));
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> stock() {
        WindowOperatorBuilder builder =
                WindowOperatorBuilder.builder()
                        .withInputFields(WindowCase.ROW)
                        .withShiftTimezone(zone)
                        .withInputCountIndex(indexOfCountStar());
        Duration duration = Duration.ofMillis(size);
        builder =
                switch (kind) {
                    case TUMBLE -> builder.tumble(duration);
                    case HOP -> builder.sliding(duration, Duration.ofMillis(slide));
                    case SESSION -> builder.session(duration);
                };
        builder =
                isEventTime ? builder.withEventTime(WindowCase.TIME) : builder.withProcessingTime();
        if (hasUpdates()) {
            builder.produceUpdates()
                    .triggering(trigger())
                    .withAllowedLateness(Duration.ofMillis(lateness));
        }
        if (isTable) {
            return builder.aggregate(
                            new WindowTableFunctions<TimeWindow>(countsDistinct),
                            WindowFunctions.ACCUMULATOR,
                            WindowFunctions.RESULT,
                            new LogicalType[0])
                    .build();
        }
        return builder.aggregate(
                        new WindowFunctions<TimeWindow>(0, countsDistinct),
                        new ResultEqualiser(),
                        WindowFunctions.ACCUMULATOR,
                        WindowFunctions.RESULT,
                        new LogicalType[0])
                .build();
    }

    private int indexOfCountStar() {
        return retracts ? 0 : -1;
    }

    /** As Flink's planner makes it of the options of early and late results. */
    private Trigger<TimeWindow> trigger() {
        Trigger<TimeWindow> earlyTrigger = trigger(early);
        if (!isEventTime) {
            var end = ProcessingTimeTriggers.<TimeWindow>afterEndOfWindow();
            return earlyTrigger == null ? end : end.withEarlyFirings(earlyTrigger);
        }
        var end = EventTimeTriggers.<TimeWindow>afterEndOfWindow();
        Trigger<TimeWindow> lateTrigger = trigger(late);
        if (earlyTrigger == null) {
            return lateTrigger == null ? end : end.withLateFirings(lateTrigger);
        }
        var earlyAndEnd = end.withEarlyFirings(earlyTrigger);
        return lateTrigger == null ? earlyAndEnd : earlyAndEnd.withLateFirings(lateTrigger);
    }

    @Nullable
    private static Trigger<TimeWindow> trigger(long delay) {
        if (delay < 0) {
            return null;
        }
        return delay == 0
                ? ElementTriggers.every()
                : ProcessingTimeTriggers.every(Duration.ofMillis(delay));
    }

    @Override
    public BinaryRowData row(RowKind rowKind, String key, long value, long time, long number) {
        return WindowCase.row(rowKind, key, value, time);
    }

    @Override
    public String text(RowData result) {
        return WindowFunctions.text(result);
    }

    /** Compares results, which may be of more than one representation. */
    private static final class ResultEqualiser extends GeneratedRecordEqualiser {

        private static final long serialVersionUID = 1L;

        private ResultEqualiser() {
            super("ResultEqualiser", "", new Object[0]);
        }

        @Override
        public RecordEqualiser newInstance(ClassLoader classLoader) {
            return (RecordEqualiser)
                    (one, other) ->
                            one.getLong(0) == other.getLong(0)
                                    && one.getLong(1) == other.getLong(1)
                                    && one.getString(2).equals(other.getString(2))
                                    && one.getLong(3) == other.getLong(3)
                                    && one.getString(4).equals(other.getString(4));
        }
    }
}
