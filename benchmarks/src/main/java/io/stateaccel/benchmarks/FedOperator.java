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
package io.stateaccel.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.RecordProcessorUtils;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.OutputTag;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * An operator on a backend of its own, fed as a task feeds it. What it emits is counted and
 * dropped. Used by one thread.
 */
final class FedOperator implements AutoCloseable {

    private final Path directory;
    private final KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness;
    private final ThrowingConsumer<StreamRecord<RowData>, Exception> left;
    private final ThrowingConsumer<StreamRecord<RowData>, Exception> right;
    private final CountingOutput output;

    /**
     * Backends have their default options, and what is emitted has no digest.
     *
     * @param memory block cache and write buffers of RocksDB together
     */
    FedOperator(
            TwoInputStreamOperator<RowData, RowData, RowData> operator,
            RowDataKeySelector leftKey,
            RowDataKeySelector rightKey,
            Backend backend,
            MemorySize memory)
            throws Exception {
        this(operator, leftKey, rightKey, backend, memory, Map.of(), row -> 0);
    }

    /**
     * @param memory block cache and write buffers of RocksDB together
     * @param options of the backend
     * @param digest of a row that is emitted, which it must not keep
     */
    FedOperator(
            TwoInputStreamOperator<RowData, RowData, RowData> operator,
            RowDataKeySelector leftKey,
            RowDataKeySelector rightKey,
            Backend backend,
            MemorySize memory,
            Map<String, String> options,
            ToLongFunction<RowData> digest)
            throws Exception {
        output = new CountingOutput(digest);
        directory = Files.createTempDirectory("state-accel-benchmark");
        harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator, leftKey, rightKey, leftKey.getProducedType());
        harness.setStateBackend(backend.create(directory, memory, options));
        harness.setOutputCreator(serializer -> output);
        harness.open();
        left = RecordProcessorUtils.getRecordProcessor1(operator);
        right = RecordProcessorUtils.getRecordProcessor2(operator);
    }

    void left(RowData row) throws Exception {
        left.accept(new StreamRecord<>(row));
    }

    void right(RowData row) throws Exception {
        right.accept(new StreamRecord<>(row));
    }

    /** Advances event time on both inputs. */
    void watermark(long millis) throws Exception {
        harness.processBothWatermarks(new Watermark(millis));
    }

    /** Rows emitted so far. */
    long emitted() {
        return output.rows;
    }

    /** The sum of the digests of the rows emitted so far, whatever their order. */
    long digest() {
        return output.digest;
    }

    /** The backend that holds the operator's keyed state. */
    AbstractKeyedStateBackend<RowData> backend() {
        return (AbstractKeyedStateBackend<RowData>)
                harness.getOperator().<RowData>getKeyedStateBackend();
    }

    @Override
    public void close() throws Exception {
        harness.close();
        FileUtils.deleteDirectory(directory.toFile());
    }

    private static final class CountingOutput implements Output<StreamRecord<RowData>> {
        private final ToLongFunction<RowData> digestOf;
        private long rows;
        private long digest;

        CountingOutput(ToLongFunction<RowData> digestOf) {
            this.digestOf = digestOf;
        }

        @Override
        public void collect(StreamRecord<RowData> row) {
            rows++;
            digest += digestOf.applyAsLong(row.getValue());
        }

        @Override
        public <X> void collect(OutputTag<X> tag, StreamRecord<X> row) {
            throw new UnsupportedOperationException("A join has no side output");
        }

        @Override
        public void emitWatermark(Watermark watermark) {}

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {}

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {}

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {}

        @Override
        public void emitWatermark(WatermarkEvent watermark) {}

        @Override
        public void close() {}
    }
}
