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
package io.stateaccel.nexmark.workload;

import io.stateaccel.nexmark.checksum.ChecksumSink;
import io.stateaccel.nexmark.connector.EventSource;
import io.stateaccel.nexmark.generator.SampleEvent;
import io.stateaccel.nexmark.generator.SampleEvent.Kind;
import io.stateaccel.nexmark.generator.SampleEvents;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.RowType.RowField;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * {@code sample-join}: gathers what streams of {@link SampleEvent}s tell of a training sample in
 * one object, which a timer emits and clears. After Weibo's sample joins on Gemini; what is known
 * of them and what was chosen is said in {@link SampleEvents}.
 *
 * <p>The result depends on nothing but the events: a sample's timer is due a fixed time after it
 * was served, what its event time says is later does not count, and everything else arrives before,
 * as watermarks are behind by the most that events may be late. At the end of the stream the last
 * watermark fires the timers that are left.
 */
final class SampleJoin extends KeyedProcessFunction<String, SampleEvent, RowData> {

    private static final long serialVersionUID = 1L;

    static final String NAME = "sample-join";

    static final RowType RESULT =
            new RowType(
                    Stream.concat(
                                    Stream.of(new RowField("sample", VarCharType.STRING_TYPE)),
                                    Stream.of(
                                                    "user",
                                                    "item",
                                                    "served",
                                                    "exposed",
                                                    "exposures",
                                                    "clicks",
                                                    "plays",
                                                    "likes",
                                                    "comments",
                                                    "shares",
                                                    "watched",
                                                    "longest_watched",
                                                    "last_event")
                                            .map(name -> new RowField(name, new BigIntType())))
                            .toList());

    private transient ValueState<Sample> state;

    /** What was gathered of a sample. Public with public fields, so that it is a POJO to Flink. */
    public static final class Sample {
        public long user;
        public long item;
        public long[] served = {};
        public long[] exposed = new long[SampleEvents.EXPOSED_FEATURES];
        public long exposures;
        public long clicks;
        public long plays;
        public long likes;
        public long comments;
        public long shares;
        public long watchedMillis;
        public long longestWatchedMillis;
        public long lastEventMillis;

        /** Adds an event of the sample; in which order events are added makes no difference. */
        void add(SampleEvent event) {
            lastEventMillis = Math.max(lastEventMillis, event.time);
            switch (event.kind) {
                case SERVED -> {
                    user = event.user;
                    item = event.item;
                    served = event.features;
                }
                case EXPOSURE -> {
                    exposures++;
                    for (int i = 0; i < exposed.length; i++) {
                        exposed[i] += event.features[i];
                    }
                }
                case CLICK -> clicks++;
                case FOLLOW_UP -> {
                    watchedMillis += event.watchedMillis;
                    longestWatchedMillis = Math.max(longestWatchedMillis, event.watchedMillis);
                    switch (event.action) {
                        case PLAY -> plays++;
                        case LIKE -> likes++;
                        case COMMENT -> comments++;
                        case SHARE -> shares++;
                    }
                }
            }
        }

        /** The sample as a row of {@link #RESULT}, of its features only digests. */
        RowData row(String id) {
            return GenericRowData.of(
                    StringData.fromString(id),
                    user,
                    item,
                    digest(served),
                    digest(exposed),
                    exposures,
                    clicks,
                    plays,
                    likes,
                    comments,
                    shares,
                    watchedMillis,
                    longestWatchedMillis,
                    lastEventMillis);
        }

        private static long digest(long[] features) {
            long digest = features.length;
            for (long feature : features) {
                digest = 31 * digest + feature;
            }
            return digest;
        }
    }

    /** Adds the job to an environment. */
    static void build(StreamExecutionEnvironment environment, long events) {
        // One source, as streams of their own would not advance alike when nothing paces them.
        SingleOutputStreamOperator<SampleEvent> served =
                environment
                        .fromSource(
                                new EventSource<>(() -> new SampleEvents()::event, events),
                                watermarks(),
                                "events",
                                TypeInformation.of(SampleEvent.class))
                        .uid("events")
                        .process(new Split())
                        .name("streams")
                        .uid("streams");
        DataStream<SampleEvent> all =
                served.union(
                        served.getSideOutput(Split.EXPOSURES),
                        served.getSideOutput(Split.CLICKS),
                        served.getSideOutput(Split.FOLLOW_UPS));
        DataStream<RowData> samples =
                all.keyBy(event -> event.sample)
                        .process(new SampleJoin())
                        .name(NAME)
                        .uid(NAME)
                        .returns(InternalTypeInfo.of(RESULT));
        ChecksumSink.add(samples, NAME, RESULT);
    }

    private static WatermarkStrategy<SampleEvent> watermarks() {
        return WatermarkStrategy.<SampleEvent>forBoundedOutOfOrderness(
                        Duration.ofMillis(SampleEvents.DISORDER_MILLIS))
                .withTimestampAssigner((event, ignored) -> event.time);
    }

    @Override
    public void open(OpenContext context) {
        state =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "sample", TypeInformation.of(Sample.class)));
    }

    @Override
    public void processElement(SampleEvent event, Context context, Collector<RowData> out)
            throws Exception {
        long completeAt = event.servedAt + SampleEvents.WINDOW_MILLIS;
        if (event.time > completeAt) {
            return;
        }
        Sample sample = state.value();
        if (sample == null) {
            sample = new Sample();
            context.timerService().registerEventTimeTimer(completeAt);
        }
        sample.add(event);
        state.update(sample);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<RowData> out)
            throws Exception {
        out.collect(state.value().row(context.getCurrentKey()));
        state.clear();
    }

    /** Sends each event to the stream that it comes in. */
    private static final class Split extends ProcessFunction<SampleEvent, SampleEvent> {

        private static final long serialVersionUID = 1L;

        private static final OutputTag<SampleEvent> EXPOSURES = tag(Kind.EXPOSURE);
        private static final OutputTag<SampleEvent> CLICKS = tag(Kind.CLICK);
        private static final OutputTag<SampleEvent> FOLLOW_UPS = tag(Kind.FOLLOW_UP);

        private static OutputTag<SampleEvent> tag(Kind kind) {
            return new OutputTag<>(kind.name(), TypeInformation.of(SampleEvent.class));
        }

        @Override
        public void processElement(SampleEvent event, Context context, Collector<SampleEvent> out) {
            switch (event.kind) {
                case SERVED -> out.collect(event);
                case EXPOSURE -> context.output(EXPOSURES, event);
                case CLICK -> context.output(CLICKS, event);
                case FOLLOW_UP -> context.output(FOLLOW_UPS, event);
            }
        }
    }
}
