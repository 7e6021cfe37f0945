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
package io.stateaccel.operators.rank;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;

/**
 * Top-N ({@code ROW_NUMBER} up to a number) that works on bundles: a flush reads and writes the
 * state of each partition once, and emits the change from its result before the bundle to the one
 * after it. With rank numbers that is much less than row by row, where every row that enters moves
 * all behind it.
 *
 * <p>Takes the place of Flink's {@code AppendOnlyTopNFunction}, {@code AppendOnlyFirstNFunction},
 * {@code FastTop1Function}, {@code UpdatableTopNFunction} and {@code RetractableTopNFunction},
 * whose results it gives.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchRankOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final MiniBatchRankSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient Bundle<?, ?> bundle;

    /**
     * @param spec what to rank and how
     */
    public MiniBatchRankOperator(MiniBatchRankSpec spec) {
        super(OperatorKind.RANK, spec.bundle(), spec.partitionKeySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        keySelector = KeySelectors.copy(spec.partitionKeySelector());
        bundle =
                new Bundle<>(
                        RankStrategy.create(
                                spec,
                                viewContext(true),
                                getExecutionConfig().isObjectReuseEnabled(),
                                collector()));
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        RowData key = keySelector.getKey(row);
        rowAdded(key, bundle.add(key, row));
    }

    @Override
    protected void finishBundle() throws Exception {
        bundle.finish();
    }

    /**
     * The partitions that have rows.
     *
     * @param <B> what there is of a partition
     * @param <V> what the state holds of a partition
     */
    private final class Bundle<B, V> {
        private final RankStrategy<B, V> strategy;
        private final Map<RowData, B> partitions = new LinkedHashMap<>();

        Bundle(RankStrategy<B, V> strategy) {
            this.strategy = strategy;
        }

        /** Returns by how many bytes of heap it has grown. */
        long add(RowData key, RowData row) {
            long bytes = 0;
            B partition = partitions.get(key);
            if (partition == null) {
                partition = strategy.newPartition();
                partitions.put(key, partition);
                bytes = HeapBytes.ofKey(key);
            }
            return bytes + strategy.add(row, partition);
        }

        void finish() throws Exception {
            visitKeys(partitions, strategy.state(), strategy::finish);
            partitions.clear();
        }
    }
}
