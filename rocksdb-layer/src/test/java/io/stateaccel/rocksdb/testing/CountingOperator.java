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
package io.stateaccel.rocksdb.testing;

import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Counts how often each row comes, in state of its own that a restore takes back with the job, and
 * hands the counts to the test when the input ends.
 */
public final class CountingOperator extends AbstractStreamOperator<String>
        implements OneInputStreamOperator<String, String>, BoundedOneInput {

    private static final long serialVersionUID = 1L;

    /** The mini cluster lives in the test's JVM. */
    private static final Map<String, Counts> RESULTS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();

    private transient Map<String, Integer> counts;
    private transient ListState<Tuple2<String, Integer>> stored;

    public record Counts(Map<String, Integer> rows) {
        public Map<String, Integer> withoutRowsOf(String name) {
            Map<String, Integer> others = new TreeMap<>(rows);
            others.keySet().removeIf(row -> row.startsWith(name));
            return others;
        }
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        stored =
                context.getOperatorStateStore()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "counts", Types.TUPLE(Types.STRING, Types.INT)));
        counts = new TreeMap<>();
        for (Tuple2<String, Integer> count : stored.get()) {
            counts.put(count.f0, count.f1);
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        stored.clear();
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
            stored.add(Tuple2.of(count.getKey(), count.getValue()));
        }
    }

    @Override
    public void processElement(StreamRecord<String> row) {
        counts.merge(row.getValue(), 1, Integer::sum);
    }

    @Override
    public void endInput() {
        RESULTS.put(id, new Counts(counts));
    }

    /** What the job has counted; to be called once, after it has finished. */
    public Counts takeResult() {
        return RESULTS.remove(id);
    }
}
