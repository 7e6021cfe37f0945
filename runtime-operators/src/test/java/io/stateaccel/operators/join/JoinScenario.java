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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.AbstractRichFunction;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.bundle.trigger.CountCoBundleTrigger;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.stream.MiniBatchStreamingJoinOperator;
import org.apache.flink.table.runtime.operators.join.stream.StreamingJoinOperator;
import org.apache.flink.table.runtime.operators.join.stream.StreamingSemiAntiJoinOperator;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/**
 * A join without a non-equi condition that is fed and read as text: {@code "+I Ord#1, LineOrd#1,
 * AIR"}, a padded column is {@code null}.
 *
 * <p>What a scenario expects was observed of Flink, so it can be run with Flink's operator too: an
 * expectation that was taken down wrongly fails there.
 */
public final class JoinScenario implements AutoCloseable {

    /** Whose operator is run. */
    public enum Operator {
        /** A row at a time; a SEMI or ANTI join has no other. */
        FLINK,
        FLINK_MINI_BATCH,
        OURS
    }

    /** What is known of the unique key of a side. */
    public enum UniqueKey {
        NONE,
        FIRST_COLUMN,
        JOIN_KEY
    }

    /**
     * One input.
     *
     * @param columns number of text columns
     * @param key the column joined on
     * @param ttl milliseconds a row lives, 0 for ever
     */
    public record Side(
            int columns, int key, UniqueKey uniqueKey, InputChangelog changelog, long ttl) {

        InternalTypeInfo<RowData> type() {
            return textType(columns);
        }

        JoinInputSideSpec spec() {
            return switch (uniqueKey) {
                case NONE -> JoinInputSideSpec.withoutUniqueKey();
                case FIRST_COLUMN ->
                        JoinInputSideSpec.withUniqueKey(textType(1), new ColumnSelector(0));
                case JOIN_KEY ->
                        JoinInputSideSpec.withUniqueKeyContainedByJoinKey(
                                textType(1), new ColumnSelector(key));
            };
        }

        JoinSideSpec accelerated() {
            return new JoinSideSpec(
                    type(), new ColumnSelector(key), spec(), changelog, TimeToLive.ofMillis(ttl));
        }
    }

    private static final boolean[] FILTER_NULL_KEYS = {true};

    private final boolean ours;
    private final KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness;
    private int read;

    public JoinScenario(
            Operator operator, FlinkJoinType type, Side left, Side right, int bundleSize)
            throws Exception {
        ours = operator == Operator.OURS;
        harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        switch (operator) {
                            case FLINK -> flink(type, left, right);
                            case FLINK_MINI_BATCH -> flinkMiniBatch(type, left, right, bundleSize);
                            case OURS -> ours(type, left, right, bundleSize);
                        },
                        new ColumnSelector(left.key),
                        new ColumnSelector(right.key),
                        textType(1));
        harness.open();
    }

    private static TwoInputStreamOperator<RowData, RowData, RowData> flink(
            FlinkJoinType type, Side left, Side right) {
        if (type == FlinkJoinType.SEMI || type == FlinkJoinType.ANTI) {
            return new StreamingSemiAntiJoinOperator(
                    type == FlinkJoinType.ANTI,
                    left.type(),
                    right.type(),
                    new NoCondition(),
                    left.spec(),
                    right.spec(),
                    FILTER_NULL_KEYS,
                    left.ttl,
                    right.ttl);
        }
        return new StreamingJoinOperator(
                left.type(),
                right.type(),
                new NoCondition(),
                left.spec(),
                right.spec(),
                type.isLeftOuter(),
                type.isRightOuter(),
                FILTER_NULL_KEYS,
                left.ttl,
                right.ttl);
    }

    private static TwoInputStreamOperator<RowData, RowData, RowData> flinkMiniBatch(
            FlinkJoinType type, Side left, Side right, int bundleSize) {
        return MiniBatchStreamingJoinOperator.newMiniBatchStreamJoinOperator(
                type,
                left.type(),
                right.type(),
                new NoCondition(),
                left.spec(),
                right.spec(),
                type.isLeftOuter(),
                type.isRightOuter(),
                FILTER_NULL_KEYS,
                left.ttl,
                right.ttl,
                new CountCoBundleTrigger<>(bundleSize));
    }

    private static TwoInputStreamOperator<RowData, RowData, RowData> ours(
            FlinkJoinType type, Side left, Side right, int bundleSize) {
        return new MiniBatchJoinOperator(
                new MiniBatchJoinSpec(
                        type,
                        left.accelerated(),
                        right.accelerated(),
                        new NoCondition(),
                        FILTER_NULL_KEYS,
                        true,
                        new BundleSettings(bundleSize, 1000)));
    }

    /** Sets the time by which rows expire. */
    public JoinScenario at(long millis) throws Exception {
        harness.setStateTtlProcessingTime(millis);
        harness.setProcessingTime(millis);
        return this;
    }

    public JoinScenario left(String... changes) throws Exception {
        for (String change : changes) {
            harness.processElement1(new StreamRecord<>(parse(change)));
        }
        return this;
    }

    public JoinScenario right(String... changes) throws Exception {
        for (String change : changes) {
            harness.processElement2(new StreamRecord<>(parse(change)));
        }
        return this;
    }

    /** Since the last expectation exactly these changes were emitted, keys in any order. */
    public JoinScenario emits(String... changes) {
        assertThat(emitted()).containsExactlyInAnyOrder(changes);
        return this;
    }

    public JoinScenario emitsNothing() {
        return emits();
    }

    /**
     * Flink emits these changes. Ours emits no more of them, and what they amount to is the same:
     * what comes and goes within a bundle is folded.
     */
    public JoinScenario amountsTo(String... changes) {
        if (!ours) {
            return emits(changes);
        }
        List<String> emitted = emitted();
        assertThat(net(emitted)).isEqualTo(net(Arrays.asList(changes)));
        assertThat(emitted).hasSizeLessThanOrEqualTo(changes.length);
        return this;
    }

    /** Flink emits {@code flinks}, ours emits {@code ours}; the test says why. */
    public JoinScenario emitsInstead(List<String> flinks, List<String> ours) {
        return emits((this.ours ? ours : flinks).toArray(new String[0]));
    }

    private List<String> emitted() {
        List<String> all = harness.extractOutputValues().stream().map(JoinScenario::text).toList();
        List<String> unread = all.subList(read, all.size());
        read = all.size();
        return unread;
    }

    private static Map<String, Integer> net(List<String> changes) {
        Map<String, Integer> net = new TreeMap<>();
        for (String change : changes) {
            net.merge(change.substring(2), change.startsWith("+") ? 1 : -1, Integer::sum);
        }
        net.values().removeIf(count -> count == 0);
        return net;
    }

    static RowData parse(String change) {
        String[] columns = change.substring(3).split(", ");
        BinaryRowData row = new BinaryRowData(columns.length);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        for (int i = 0; i < columns.length; i++) {
            writer.writeString(i, StringData.fromString(columns[i]));
        }
        writer.complete();
        row.setRowKind(
                Stream.of(RowKind.values())
                        .filter(kind -> change.startsWith(kind.shortString() + " "))
                        .findFirst()
                        .orElseThrow());
        return row;
    }

    private static String text(RowData row) {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < row.getArity(); i++) {
            columns.add(row.isNullAt(i) ? "null" : row.getString(i).toString());
        }
        return row.getRowKind().shortString() + " " + String.join(", ", columns);
    }

    static InternalTypeInfo<RowData> textType(int columns) {
        LogicalType[] types = new LogicalType[columns];
        Arrays.fill(types, VarCharType.STRING_TYPE);
        return InternalTypeInfo.ofFields(types);
    }

    @Override
    public void close() throws Exception {
        harness.close();
    }

    /** Projects one text column. */
    static final class ColumnSelector implements RowDataKeySelector {
        private static final long serialVersionUID = 1L;

        private final int column;

        ColumnSelector(int column) {
            this.column = column;
        }

        @Override
        public RowData getKey(RowData row) {
            BinaryRowData key = new BinaryRowData(1);
            BinaryRowWriter writer = new BinaryRowWriter(key);
            writer.writeString(0, row.getString(column));
            writer.complete();
            return key;
        }

        @Override
        public InternalTypeInfo<RowData> getProducedType() {
            return textType(1);
        }

        public RowDataKeySelector copy() {
            return new ColumnSelector(column);
        }
    }

    static final class NoCondition extends GeneratedJoinCondition {
        private static final long serialVersionUID = 1L;

        NoCondition() {
            super("NoCondition", "", new Object[0]);
        }

        @Override
        public JoinCondition newInstance(ClassLoader classLoader) {
            return new AlwaysTrue();
        }
    }

    private static final class AlwaysTrue extends AbstractRichFunction implements JoinCondition {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean apply(RowData left, RowData right) {
            return true;
        }
    }
}
