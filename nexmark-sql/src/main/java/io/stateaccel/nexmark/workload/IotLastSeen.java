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
import io.stateaccel.nexmark.generator.DeviceEvent;
import io.stateaccel.nexmark.generator.DeviceEvents;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.RowType.RowField;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * {@code iot-last-seen}: when each type of event was last seen of each device, as a changelog. Per
 * event one entry of a map is read and compared, and written if the event is newer. After a
 * published post-mortem of such a job; what is known of it and what was chosen is said in {@link
 * DeviceEvents}.
 *
 * <p>In which order events come changes the changelog but not what it amounts to.
 */
final class IotLastSeen extends KeyedProcessFunction<String, DeviceEvent, RowData> {

    private static final long serialVersionUID = 1L;

    static final String NAME = "iot-last-seen";

    static final RowType RESULT =
            new RowType(
                    List.of(
                            new RowField("device", VarCharType.STRING_TYPE),
                            new RowField("event_type", VarCharType.STRING_TYPE),
                            new RowField("last_seen", new BigIntType())));

    private transient MapState<String, Long> lastSeen;

    /** Adds the job to an environment. */
    static void build(StreamExecutionEnvironment environment, long events) {
        DataStream<RowData> changes =
                environment
                        .fromSource(
                                new EventSource<>(() -> new DeviceEvents()::event, events),
                                WatermarkStrategy.noWatermarks(),
                                "events",
                                TypeInformation.of(DeviceEvent.class))
                        .uid("events")
                        .keyBy(event -> event.device)
                        .process(new IotLastSeen())
                        .name(NAME)
                        .uid(NAME)
                        .returns(InternalTypeInfo.of(RESULT));
        ChecksumSink.add(changes, NAME, RESULT);
    }

    @Override
    public void open(OpenContext context) {
        lastSeen =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>("last-seen", Types.STRING, Types.LONG));
    }

    @Override
    public void processElement(DeviceEvent event, Context context, Collector<RowData> out)
            throws Exception {
        Long before = lastSeen.get(event.type);
        if (before != null && before >= event.time) {
            return;
        }
        lastSeen.put(event.type, event.time);
        if (before == null) {
            out.collect(row(RowKind.INSERT, event, event.time));
        } else {
            out.collect(row(RowKind.UPDATE_BEFORE, event, before));
            out.collect(row(RowKind.UPDATE_AFTER, event, event.time));
        }
    }

    private static RowData row(RowKind kind, DeviceEvent event, long time) {
        return GenericRowData.ofKind(
                kind, StringData.fromString(event.device), StringData.fromString(event.type), time);
    }
}
