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

import io.stateaccel.flink.operator.CurrentTimes;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.join.fold.BundleFold;
import io.stateaccel.operators.join.fold.SideChanges;
import io.stateaccel.operators.join.match.JoinSide;
import io.stateaccel.operators.join.match.KeyJoin;
import io.stateaccel.operators.join.match.MissingMatches;
import io.stateaccel.operators.join.normalize.InputNormalizer;
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.records.MergedRecordViews;
import io.stateaccel.views.join.records.UncountedRecords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Regular join of any type that works on bundles. Rows are buffered by join key; a flush visits
 * every key once, reads the rows it needs once, joins in memory and appends the changes blind.
 *
 * <p>Takes the place of Flink's {@code StreamingJoinOperator} and {@code
 * StreamingSemiAntiJoinOperator}: the rows that are live after the same input are the same, what
 * came and went within a bundle is not emitted.
 *
 * <p>An input whose changes are not regular ones may be normalised here, in place of Flink's {@code
 * ChangelogNormalize} before the join, where its key is the join key: the row that is needed for
 * that is the one that the join has of the key.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchJoinOperator extends BundlingOperator
        implements TwoInputStreamOperator<RowData, RowData, RowData> {

    private static final long serialVersionUID = 1L;

    /** As stock Flink's join has them. */
    private static final String LEFT_RECORDS = "left-records";

    private static final String RIGHT_RECORDS = "right-records";

    private final MiniBatchJoinSpec spec;
    private final JoinResults results;

    private transient JoinSideInput leftInput;
    private transient JoinSideInput rightInput;
    @Nullable private transient InputNormalizer leftNormalizer;
    @Nullable private transient InputNormalizer rightNormalizer;
    private transient long leftWatermark;
    private transient long rightWatermark;
    private transient BundleFold leftFold;
    private transient BundleFold rightFold;
    private transient JoinSide left;
    private transient JoinSide right;
    private transient JoinCondition condition;
    private transient KeyJoin keyJoin;

    private transient Map<RowData, KeyRows> bundle;

    /**
     * By which rows expire: one time for all of a key, however often its rows are gone through. Not
     * set where none does.
     */
    private transient long timeOfKey;

    /**
     * @param spec what to join and how
     */
    public MiniBatchJoinOperator(MiniBatchJoinSpec spec) {
        this(OperatorKind.JOIN, spec, new EmittedResults(spec));
    }

    /**
     * @param kind of an operator that does more than to join
     * @param spec what to join and how
     * @param results what it does with them
     */
    protected MiniBatchJoinOperator(
            OperatorKind kind, MiniBatchJoinSpec spec, JoinResults results) {
        super(kind, spec.bundle(), spec.left().keySelector().getProducedType());
        this.spec = spec;
        this.results = results;
    }

    @Override
    public void open() throws Exception {
        super.open();
        boolean copyRows = getExecutionConfig().isObjectReuseEnabled();
        leftInput = inputOf(spec.left(), copyRows);
        rightInput = inputOf(spec.right(), copyRows);
        leftWatermark = Long.MIN_VALUE;
        rightWatermark = Long.MIN_VALUE;
        leftNormalizer = normalizerOf(spec.left(), () -> leftWatermark);
        rightNormalizer = normalizerOf(spec.right(), () -> rightWatermark);
        leftFold = foldOf(spec.left());
        rightFold = foldOf(spec.right());
        if (spec.hasStateTtl()) {
            // No later than what Flink says of rows that expire from now on, and did not before.
            timeOfKey = getProcessingTimeService().getCurrentProcessingTime();
        }
        boolean keepsMatches = spec.hasStateTtl() || hadStateTtl();
        boolean keepsLeftMatches = keepsMatches && spec.countsLeftMatches();
        boolean keepsRightMatches = keepsMatches && spec.countsRightMatches();
        left = sideOf(true, spec.left(), LEFT_RECORDS, keepsLeftMatches);
        right = sideOf(false, spec.right(), RIGHT_RECORDS, keepsRightMatches);
        results.open(joinContext(), collector());

        condition = spec.condition().newInstance(getRuntimeContext().getUserCodeClassLoader());
        condition.setRuntimeContext(getRuntimeContext());
        condition.open(DefaultOpenContext.INSTANCE);
        new MissingMatches(
                        condition,
                        left,
                        right,
                        keepsLeftMatches ? uncounted(LEFT_RECORDS, spec.left()) : null,
                        keepsRightMatches ? uncounted(RIGHT_RECORDS, spec.right()) : null)
                .count(joinContext().backend());
        keyJoin = createKeyJoin();

        bundle = new LinkedHashMap<>();
    }

    /**
     * Whether the snapshot is one of a job with state TTL. From then on matches are counted with or
     * without it, as some that count may have expired, which nobody has taken back.
     */
    private boolean hadStateTtl() throws Exception {
        return spec.countsLeftMatches() && areMatchesFound(LEFT_RECORDS, spec.left())
                || spec.countsRightMatches() && areMatchesFound(RIGHT_RECORDS, spec.right());
    }

    private boolean areMatchesFound(String stateName, JoinSideSpec side) throws Exception {
        return MergedRecordViews.areMatchesFound(joinContext(), stateName, side.uniqueKeys());
    }

    @Nullable
    private UncountedRecords uncounted(String stateName, JoinSideSpec side) throws Exception {
        return MergedRecordViews.uncounted(
                joinContext(), stateName, side.type(), side.uniqueKeys(), side.changelog());
    }

    private JoinSideInput inputOf(JoinSideSpec side, boolean copyRows) {
        return new JoinSideInput(side.type(), side.keySelector(), spec.filterNullKeys(), copyRows);
    }

    @Nullable
    private InputNormalizer normalizerOf(JoinSideSpec side, LongSupplier watermark)
            throws Exception {
        return side.normalized() == null
                ? null
                : new InputNormalizer(side.normalized(), getRuntimeContext(), new Times(watermark));
    }

    private BundleFold foldOf(JoinSideSpec side) {
        return BundleFold.of(side.changelog(), side.identity(), spec.deletes());
    }

    private ViewContext joinContext() {
        return viewContext(!results.keepsState() && !spec.normalizes());
    }

    private JoinSide sideOf(
            boolean isLeft, JoinSideSpec side, String stateName, boolean keepsMatches)
            throws Exception {
        return new JoinSide(
                isLeft,
                openRecords(stateName, side, keepsMatches),
                side.changelog(),
                side.identity());
    }

    /**
     * Opens the state of a side.
     *
     * @param keepsMatches whether rows are kept with the number of their matches
     */
    protected MergedRecordView openRecords(
            String stateName, JoinSideSpec side, boolean keepsMatches) throws Exception {
        if (side.normalized() != null) {
            return MergedRecordViews.normalized(joinContext(), stateName, side.type());
        }
        return MergedRecordViews.create(
                joinContext(),
                stateName,
                side.type(),
                side.uniqueKeys(),
                side.changelog(),
                side.ttl().by(() -> timeOfKey),
                keepsMatches);
    }

    private KeyJoin createKeyJoin() {
        Collector<RowData> collector = results.collector();
        return KeyJoin.create(
                spec.type(),
                left,
                right,
                spec.left().type().toRowSize(),
                spec.right().type().toRowSize(),
                spec.deletes(),
                condition,
                collector::collect);
    }

    @Override
    public void processElement1(StreamRecord<RowData> element) throws Exception {
        if (leftNormalizer != null) {
            addToNormalize(true, leftInput, leftNormalizer, element);
        } else {
            add(true, leftInput, element.getValue());
        }
    }

    @Override
    public void processElement2(StreamRecord<RowData> element) throws Exception {
        if (rightNormalizer != null) {
            addToNormalize(false, rightInput, rightNormalizer, element);
        } else {
            add(false, rightInput, element.getValue());
        }
    }

    private void add(boolean isLeft, JoinSideInput input, RowData received) throws Exception {
        RowData key = input.keyOf(received);
        if (input.matchesNothing(key) && !keyJoin.keepsUnmatchable(isLeft)) {
            return;
        }
        BinaryRowData row = input.toBuffer(received);
        long bytes = HeapBytes.ofRow(row);
        KeyRows rows = bundle.get(key);
        if (rows == null) {
            rows = new KeyRows();
            bundle.put(key, rows);
            bytes += HeapBytes.ofKey(key);
        }
        (isLeft ? rows.left : rows.right).add(row);
        // Only an inner join says of its results too that they are updated.
        rowAdded(
                key,
                bytes,
                spec.type() == FlinkJoinType.INNER && row.getRowKind() == RowKind.UPDATE_BEFORE);
    }

    /** Of the changes of a key the last one is kept, whose row is all that there is of it then. */
    private void addToNormalize(
            boolean isLeft,
            JoinSideInput input,
            InputNormalizer normalizer,
            StreamRecord<RowData> element)
            throws Exception {
        RowData key = input.keyOf(element.getValue());
        if (input.matchesNothing(key)) {
            if (keyJoin.keepsUnmatchable(isLeft)) {
                throw new IllegalStateException("A primary key is NULL: " + element.getValue());
            }
            return;
        }
        BinaryRowData row =
                normalizer.isThere(element)
                        ? input.toBuffer(element.getValue())
                        : normalizer.gone();
        long bytes = HeapBytes.ofRow(row);
        KeyRows rows = bundle.get(key);
        if (rows == null) {
            rows = new KeyRows();
            bundle.put(key, rows);
            bytes += HeapBytes.ofKey(key);
        }
        List<RowData> ofSide = isLeft ? rows.left : rows.right;
        if (!ofSide.isEmpty()) {
            bytes -= HeapBytes.ofRow((BinaryRowData) ofSide.remove(0));
        }
        ofSide.add(row);
        rowAdded(key, bytes);
    }

    @Override
    protected void finishBundle() throws Exception {
        if (leftNormalizer != null) {
            normalize(true, left, leftNormalizer);
        }
        if (rightNormalizer != null) {
            normalize(false, right, rightNormalizer);
        }
        List<KeyChanges> some = new ArrayList<>();
        for (Map.Entry<RowData, KeyRows> entry : bundle.entrySet()) {
            SideChanges leftChanges = fold(leftFold, entry.getValue().left);
            SideChanges rightChanges = fold(rightFold, entry.getValue().right);
            if (leftChanges.isEmpty()
                    && rightChanges.isEmpty()
                    && !isRenewedBy(leftChanges, rightChanges)) {
                continue;
            }
            visited(1, leftChanges.size() + rightChanges.size());
            KeyRows rows = entry.getValue();
            some.add(
                    new KeyChanges(
                            entry.getKey(),
                            leftChanges,
                            rightChanges,
                            rows.leftBefore,
                            rows.rightBefore));
            if (some.size() == ReadsAhead.KEYS) {
                finishKeys(some);
                some.clear();
            }
        }
        finishKeys(some);
        bundle.clear();
        results.finishBundle();
    }

    /** Makes regular changes of those of a side, by the rows that are there. */
    private void normalize(boolean isLeft, JoinSide side, InputNormalizer normalizer)
            throws Exception {
        List<RowData> keys = new ArrayList<>();
        for (Map.Entry<RowData, KeyRows> entry : bundle.entrySet()) {
            if (!entry.getValue().of(isLeft).isEmpty()) {
                keys.add(entry.getKey());
            }
        }
        for (int from = 0; from < keys.size(); from += ReadsAhead.KEYS) {
            List<RowData> some = keys.subList(from, Math.min(keys.size(), from + ReadsAhead.KEYS));
            side.load(some);
            for (RowData key : some) {
                setCurrentKey(key);
                bundle.get(key).normalize(isLeft, normalizer, side.loaded(key));
            }
        }
    }

    /** Whether changes that folding has dropped give rows in state a new life. */
    private boolean isRenewedBy(SideChanges leftChanges, SideChanges rightChanges) {
        return (left.isRenewed() || right.isRenewed())
                && !(JoinSide.isUntouched(leftChanges) && JoinSide.isUntouched(rightChanges));
    }

    private void finishKeys(List<KeyChanges> some) throws Exception {
        List<RowData> readLeft = new ArrayList<>(some.size());
        List<RowData> readRight = new ArrayList<>(some.size());
        boolean hasStateTtl = spec.hasStateTtl();
        for (KeyChanges changes : some) {
            if (leftInput.matchesNothing(changes.key)) {
                continue;
            }
            if (changes.leftBefore == null
                    && left.isToBeRead(changes.key, changes.left, changes.right)) {
                readLeft.add(changes.key);
            }
            if (changes.rightBefore == null
                    && right.isToBeRead(changes.key, changes.right, changes.left)) {
                readRight.add(changes.key);
            }
        }
        left.load(readLeft);
        right.load(readRight);
        for (KeyChanges changes : some) {
            setCurrentKey(changes.key);
            if (hasStateTtl) {
                timeOfKey = getProcessingTimeService().getCurrentProcessingTime();
            }
            if (leftInput.matchesNothing(changes.key)) {
                keyJoin.joinUnmatchable(changes.left, changes.right);
            } else {
                left.begin(changes.key, changes.left, changes.leftBefore);
                right.begin(changes.key, changes.right, changes.rightBefore);
                keyJoin.join();
                left.store();
                right.store();
            }
            results.finishKey();
        }
    }

    private static SideChanges fold(BundleFold fold, List<RowData> changes) throws Exception {
        return changes.isEmpty() ? SideChanges.NONE : fold.fold(changes);
    }

    @Override
    public void processWatermark1(Watermark mark) throws Exception {
        leftWatermark = mark.getTimestamp();
        super.processWatermark1(mark);
    }

    @Override
    public void processWatermark2(Watermark mark) throws Exception {
        rightWatermark = mark.getTimestamp();
        super.processWatermark2(mark);
    }

    @Override
    public void close() throws Exception {
        results.close();
        if (leftNormalizer != null) {
            leftNormalizer.close();
        }
        if (rightNormalizer != null) {
            rightNormalizer.close();
        }
        if (condition != null) {
            condition.close();
        }
        super.close();
    }

    /**
     * What the bundle changes for one join key.
     *
     * @param leftBefore the rows that were there, null where they have not been read
     * @param rightBefore likewise
     */
    private record KeyChanges(
            RowData key,
            SideChanges left,
            SideChanges right,
            @Nullable LiveRows leftBefore,
            @Nullable LiveRows rightBefore) {}

    /** The buffered rows of one join key, per side in the order in which they came. */
    private static final class KeyRows {
        List<RowData> left = new ArrayList<>(2);
        List<RowData> right = new ArrayList<>(2);
        @Nullable LiveRows leftBefore;
        @Nullable LiveRows rightBefore;

        List<RowData> of(boolean isLeft) {
            return isLeft ? left : right;
        }

        void normalize(boolean isLeft, InputNormalizer normalizer, LiveRows before)
                throws Exception {
            List<RowData> changes = normalizer.changes(of(isLeft).get(0), before);
            if (isLeft) {
                left = changes;
                leftBefore = before;
            } else {
                right = changes;
                rightBefore = before;
            }
        }
    }

    /** Of an input that is normalised, as its own ChangelogNormalize would see them. */
    private final class Times implements CurrentTimes {
        private final LongSupplier watermark;

        Times(LongSupplier watermark) {
            this.watermark = watermark;
        }

        @Override
        public long processingTime() {
            return getProcessingTimeService().getCurrentProcessingTime();
        }

        @Override
        public long watermark() {
            return watermark.getAsLong();
        }
    }
}
