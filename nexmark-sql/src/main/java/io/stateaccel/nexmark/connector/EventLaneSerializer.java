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
package io.stateaccel.nexmark.connector;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Format 1: next number and step as two longs. */
final class EventLaneSerializer implements SimpleVersionedSerializer<EventLane> {

    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(EventLane lane) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(2 * Long.BYTES);
        write(lane, out);
        return out.getCopyOfBuffer();
    }

    @Override
    public EventLane deserialize(int version, byte[] bytes) throws IOException {
        check(version);
        return read(new DataInputDeserializer(bytes));
    }

    /** What no reader has been given: the number of lanes and each of them. */
    static final class OfMany implements SimpleVersionedSerializer<List<EventLane>> {

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(List<EventLane> lanes) throws IOException {
            DataOutputSerializer out = new DataOutputSerializer(64);
            out.writeInt(lanes.size());
            for (EventLane lane : lanes) {
                write(lane, out);
            }
            return out.getCopyOfBuffer();
        }

        @Override
        public List<EventLane> deserialize(int version, byte[] bytes) throws IOException {
            check(version);
            DataInputDeserializer in = new DataInputDeserializer(bytes);
            int size = in.readInt();
            List<EventLane> lanes = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                lanes.add(read(in));
            }
            return lanes;
        }
    }

    private static void write(EventLane lane, DataOutputSerializer out) throws IOException {
        out.writeLong(lane.next());
        out.writeLong(lane.step());
    }

    private static EventLane read(DataInputDeserializer in) throws IOException {
        return new EventLane(in.readLong(), in.readLong());
    }

    private static void check(int version) throws IOException {
        if (version != VERSION) {
            throw new IOException("Unknown version of a nexmark lane: " + version);
        }
    }
}
